package compression

import "context"

// topDown drops the oldest entries, in whole groups of calls and responses, until the target is met
// (D-33). It keeps the last message of the user: in a long tool loop the message is old, but the model
// still works on it. It also keeps calls whose results the model has not read yet. topDown never calls
// a model.
type topDown struct{}

func (topDown) Name() string      { return "top-down-truncation" }
func (topDown) RequiresLLM() bool { return false }

func (topDown) Trigger() Trigger {
	return Trigger{Mode: TriggerThreshold, DefaultThreshold: defaultThreshold}
}

// minLeft limits the truncation: at least this many entries remain (D-33).
const minLeft = 2

func (s topDown) Compress(_ context.Context, c Context) (Result, error) {
	switch {
	case len(c.History) == 0:
		return noop(s, c, reasonEmpty), nil
	case c.Total() <= c.Target():
		return noop(s, c, reasonAtTarget), nil
	}
	t := newTruncation(c, c.History, c.Tokens, groupEntries(c.History))
	_, last := outerHumans(c.History)
	latest, unread := latestCalls(c.History), -1
	if latest < len(c.History) {
		unread = t.root[latest] // earlier than latest if that reply also answers a call before it
	}
	for i := range latest {
		if t.total <= c.Target() {
			break
		}
		if !t.droppable(i) || i == last || i == unread {
			continue
		}
		if t.left-t.size[i] < minLeft {
			break
		}
		t.drop(i)
	}
	entries, total := t.result()
	return localResult(s, c, entries, total), nil
}
