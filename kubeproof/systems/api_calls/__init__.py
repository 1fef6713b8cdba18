"""The description of the system api-calls."""

from kubeproof.systems.api_calls.system import API_CALLS as API_CALLS
