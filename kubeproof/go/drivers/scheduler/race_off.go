//go:build !race

package scheduler

// playedRaces says whether the race detector looks on.
const playedRaces = false
