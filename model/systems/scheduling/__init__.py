"""scheduling: queue, nominator, cache, cycle and binder of the scheduler, with API server, informers and users."""
