"""All claims about scores."""

from properties.scoring.claim import Claim
from properties.scoring.normalizing import NORMALIZING
from properties.scoring.ties import TIES
from properties.scoring.totals import TOTALS

CLAIMS: tuple[Claim, ...] = (*TOTALS, *NORMALIZING, *TIES)
