// What every driver of kubeproof shares that plays a kept run: the state after each action is compared with that of the
// run, and a property is asked of Go's own values. The package clause is that of the package that is driven.

package driver

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"
	"testing"
)

// playedRun is a run that is played: what it is compared with, and what came of it.
type playedRun struct {
	// The bug, and the release whose rules say what is expected.
	Bug, Release string
	// Which kept run this is, and which files of the driver were chosen.
	Trace, Halves string
	// What is run in place of the kept run; "": the kept run.
	Run string
	// The name of the property, and how many actions the run has.
	Property string
	Actions  int

	t *testing.T
	// How many actions were taken.
	taken int
	// The facts that the run says of the state.
	expected map[string]string
	// The state that first differed from the run, and how it did; "" if none did.
	differsAt int
	differs   string
	// Why an action could not be taken: it and the rest of the run were left out.
	stopped string
	// What is wrong, and after which action.
	violated   string
	violatedAt int
}

// take takes an action, unless the run was stopped, and asks what is wrong after it.
func (r *playedRun) take(what string, does func() error, wrong func(err error) string) {
	r.t.Helper()
	if r.stopped != "" {
		return
	}
	err := does()
	if r.stopped != "" {
		r.t.Logf("the run ends before action %d, %s: %s", r.taken+1, what, r.stopped)
		return
	}
	r.taken++
	if err != nil && r.taken <= r.Actions {
		r.t.Logf("action %d, %s: %v", r.taken, what, err)
	}
	if now := wrong(err); now != "" && r.violated == "" {
		r.violated, r.violatedAt = now, r.taken
		r.t.Errorf("%s does not hold after action %d, %s: %s", r.Property, r.taken, what, now)
	}
}

// impossible stops the run: its next action cannot be taken in this state.
func (r *playedRun) impossible(why string) error {
	r.stopped = why
	return nil
}

// compare compares the facts of a state with those of the run. changes: the facts that the last action changed,
// as "subject = fact", or "subject = gone". A difference alone is no failure: a fix may bring it.
func (r *playedRun) compare(facts map[string]string, changes []string) {
	r.t.Helper()
	if r.expected == nil {
		r.expected = map[string]string{}
	}
	for _, change := range changes {
		at := strings.Index(change, " = ")
		if subject, fact := change[:at], change[at+3:]; fact == "gone" {
			delete(r.expected, subject)
		} else {
			r.expected[subject] = fact
		}
	}
	if r.stopped != "" || r.differs != "" {
		return
	}
	var wrong []string
	for subject, fact := range r.expected {
		if is, ok := facts[subject]; !ok {
			wrong = append(wrong, fmt.Sprintf("%s: in the run %q, here nothing", subject, fact))
		} else if is != fact {
			wrong = append(wrong, fmt.Sprintf("%s: in the run %q, here %q", subject, fact, is))
		}
	}
	for subject, is := range facts {
		if _, ok := r.expected[subject]; !ok {
			wrong = append(wrong, fmt.Sprintf("%s: in the run nothing, here %q", subject, is))
		}
	}
	if len(wrong) > 0 {
		sort.Strings(wrong)
		r.differsAt, r.differs = r.taken, strings.Join(wrong, "; ")
		r.t.Logf("state %d is not that of the run: %s", r.taken, r.differs)
	}
}

// atEnd says what is wrong for ever: all that is fair has happened again and again.
func (r *playedRun) atEnd(wrong string) {
	r.t.Helper()
	if r.stopped == "" && wrong != "" {
		r.violated, r.violatedAt = wrong, r.taken
		r.t.Errorf("%s does not hold, however often the last actions are taken: %s", r.Property, wrong)
	}
}

// report prints what came of the run, for `kubeproof go played`.
func (r *playedRun) report() {
	text, err := json.Marshal(map[string]interface{}{
		"bug": r.Bug, "run": r.Run, "release": r.Release, "trace": r.Trace, "halves": r.Halves, "property": r.Property,
		"actions": r.Actions, "taken": r.taken, "stopped": r.stopped, "differs_at": r.differsAt, "differs": r.differs,
		"violated": r.violated, "violated_at": r.violatedAt,
	})
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Logf("kubeproof-played %s", text)
}
