"""The site: what `make site` builds from the bugs, the docs and the program itself. No part of the distribution."""
