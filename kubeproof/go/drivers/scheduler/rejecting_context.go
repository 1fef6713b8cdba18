package scheduler

// How a plugin that rejects pods registers its events (1.31 and later).

import "context"

func (p *playedRejecting) EventsToRegister(context.Context) ([]playedEventWithHint, error) {
	return p.waits(), nil
}
