package history

import (
	"fmt"
	"slices"
	"strings"
)

// InvalidHistoryError is returned for a history that must not be sent (D-32). It is an internal error:
// the code that stored these entries broke the rule.
type InvalidHistoryError struct {
	// Violations lists all violations, in the order of the entries. It is never empty.
	Violations []Violation
}

// A Violation is one entry that breaks the rule.
type Violation struct {
	// Entry is the index of the entry in the history that was checked.
	Entry int
	// Problem describes the violation, as a clause about the entry.
	Problem string
}

// maxShownViolations limits the violations in a message, so that it is readable even if a whole history
// is broken.
const maxShownViolations = 5

func (e *InvalidHistoryError) Error() string {
	var b strings.Builder
	b.WriteString("internal error, request not sent: the history is not valid:")
	for i, v := range e.Violations {
		if i == maxShownViolations {
			fmt.Fprintf(&b, " and %d more", len(e.Violations)-i)
			break
		}
		if i > 0 {
			b.WriteString(";")
		}
		fmt.Fprintf(&b, " entry %d %s", v.Entry, v.Problem)
	}
	return b.String()
}

// Validate checks that entries can be sent (D-32). The tool entries after an ai entry answer its calls
// before any other entry, with exactly one response per call. The calls of an entry have different ids,
// every response has its call, and no entry is empty. The error is an *InvalidHistoryError.
func Validate(entries []*Content) error {
	check := validity{answered: make(map[string]bool)}
	for i, c := range entries {
		check.entry(i, c)
	}
	check.close()
	if len(check.violations) > 0 {
		slices.SortStableFunc(check.violations, func(a, b Violation) int { return a.Entry - b.Entry })
		return &InvalidHistoryError{check.violations}
	}
	return nil
}

// validity is the check in progress. Its open calls are the calls of the latest ai entry. Only the next
// tool entry may answer them.
type validity struct {
	caller     int // the index of the entry with the open calls
	open       []*ToolCall
	answered   map[string]bool // whether a call has an answer, by call ID
	violations []Violation
}

func (v *validity) report(entry int, format string, args ...any) {
	v.violations = append(v.violations, Violation{entry, fmt.Sprintf(format, args...)})
}

func (v *validity) entry(i int, c *Content) {
	if c == nil {
		v.report(i, "is missing")
		return
	}
	if c.Speaker != Tool {
		v.close()
		v.caller = i
	}
	if c.Empty() {
		v.report(i, "(%s) says nothing", c.Speaker)
	}
	for _, block := range c.Blocks {
		switch b := block.(type) {
		case *ToolCall:
			v.call(i, c.Speaker, b)
		case *ToolResponse:
			v.response(i, c.Speaker, b)
		}
	}
}

func (v *validity) call(i int, speaker Speaker, call *ToolCall) {
	if speaker != AI {
		v.report(i, "(%s) contains the call %q, but only an ai entry can contain calls", speaker, call.ID)
		return
	}
	if _, twice := v.answered[call.ID]; twice {
		v.report(i, "contains two calls with the id %q", call.ID)
		return
	}
	v.open = append(v.open, call)
	v.answered[call.ID] = false
}

func (v *validity) response(i int, speaker Speaker, r *ToolResponse) {
	if speaker != Tool {
		v.report(i, "(%s) contains a result of the call %q, but only a tool entry can contain results", speaker, r.CallID)
		return
	}
	answered, open := v.answered[r.CallID]
	switch {
	case !open:
		v.report(i, "contains a result of the call %q, but the ai entry before it has no such call", r.CallID)
	case answered:
		v.report(i, "contains a second result of the call %q", r.CallID)
	default:
		v.answered[r.CallID] = true
	}
}

// close ends the range in which the open calls may be answered.
func (v *validity) close() {
	for _, call := range v.open {
		if answered, open := v.answered[call.ID]; open && !answered {
			v.report(v.caller, "calls %s (%q), but the history has no result of this call", call.Name, call.ID)
		}
		delete(v.answered, call.ID)
	}
	v.open = v.open[:0]
}
