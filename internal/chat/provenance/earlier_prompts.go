package provenance

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"agent/internal/chat/cachemiss"
	"agent/internal/history"
	"agent/prompts"
)

// A former is the system prompts of earlier requests, as far as the record describes them.
type former struct {
	// left maps the title of each file of instructions that the next request lacks to the request that
	// was the first without it.
	left map[string]int
	// changed is the latest request with another prompt than the one before, 0 for none.
	changed int
	// upcoming is the number of the next request.
	upcoming int
}

// former reads from the record which files of instructions earlier requests had.
func (n *Next) former() (f former, err error) {
	f.left = map[string]int{}
	var latest *cachemiss.Head
	replies := 0
	change := func(now *cachemiss.Head) {
		has := filesOf(now)
		if latest != nil && !slices.Equal(has, filesOf(latest)) {
			f.changed = replies
		}
		for _, title := range filesOf(latest) {
			if !slices.Contains(has, title) {
				f.left[title] = replies
			}
		}
		for _, title := range has {
			delete(f.left, title)
		}
		latest = now
	}
	if n.Steps != nil {
		for step, err := range n.Steps {
			if err != nil {
				return f, err
			}
			if step.Kind != history.MutationAdded || step.Entry.Speaker != history.AI {
				continue
			}
			replies++
			if h, described := history.MetaOf[cachemiss.Head](step.Entry, cachemiss.MetaHead); described {
				if latest != nil && !cachemiss.SamePrompt(latest, &h) {
					f.changed = replies
				}
				change(&h)
			}
		}
	}
	replies++
	f.upcoming = replies
	if latest != nil {
		head := n.Window.Head()
		change(cachemiss.HeadOf(head.System, head.Tools))
	}
	return f, nil
}

// filesOf returns the titles of the files of instructions in a head.
func filesOf(h *cachemiss.Head) (titles []string) {
	if h == nil {
		return nil
	}
	for _, line := range h.Lines {
		if strings.HasPrefix(line.Name, prompts.InstructionsFrom) {
			titles = append(titles, line.Name)
		}
	}
	return titles
}

// parts returns the files of instructions that a question names and the next request lacks.
func (f former) parts(t *tracker) (parts []Part) {
	for _, title := range slices.Sorted(maps.Keys(f.left)) {
		request := f.left[title]
		if !t.names(strings.TrimPrefix(title, prompts.InstructionsFrom)) {
			continue
		}
		parts = append(parts, Part{
			State: Left, What: "system prompt, " + title, Request: request, Upcoming: request == f.upcoming,
			Reason: "it is no longer an instruction file", Back: "the file itself; the prompt is rebuilt at a resume or /clear",
		})
	}
	return parts
}

// unknown says which prompts may have held a text that nothing else held, "" if there is none.
func (f former) unknown() string {
	if f.changed == 0 {
		return ""
	}
	return fmt.Sprintf("The system prompt changed before request %d; the earlier text is not recorded.", f.changed)
}
