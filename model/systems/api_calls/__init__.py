"""The system api-calls: one pod, whose Binding and status patches wait in the API dispatcher."""

from model.systems.api_calls.machine import ApiCallsMachine as ApiCallsMachine
from model.systems.api_calls.records import ApiCalling as ApiCalling, ApiCallsRules as ApiCallsRules
from model.systems.api_calls.scope import ApiCallsScope as ApiCallsScope
