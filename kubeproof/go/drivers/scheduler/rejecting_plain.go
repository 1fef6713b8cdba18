package scheduler

// How a plugin that rejects pods registers its events (1.28).

func (p *playedRejecting) EventsToRegister() []playedEventWithHint { return p.waits() }
