"""What must hold of the requests of one pod, with SchedulerAsyncAPICalls or without it."""
