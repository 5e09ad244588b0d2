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

// A former describes the system prompts of earlier requests, as far as the session log contains them.
type former struct {
	// left maps the title of each instruction file that the next request lacks to the number of the
	// first request without it.
	left map[string]int
	// changed is the number of the latest request whose prompt differs from the previous one, or 0.
	changed int
	// upcoming is the number of the next request.
	upcoming int
}

// former reads from the session log which instruction files earlier requests contained.
func (n *NextRequest) former() (f former, err error) {
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
		change(cachemiss.NewHead(head.System, head.Tools))
	}
	return f, nil
}

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

// parts returns the instruction files that the question names and the next request lacks.
func (f former) parts(t *tracker) (parts []Part) {
	for _, title := range slices.Sorted(maps.Keys(f.left)) {
		request := f.left[title]
		if !t.names(strings.TrimPrefix(title, prompts.InstructionsFrom)) {
			continue
		}
		parts = append(parts, Part{
			State: StatePruned, What: "system prompt, " + title, Request: request, Upcoming: request == f.upcoming,
			Reason: "it is no longer an instruction file", Back: "the file itself; the prompt is rebuilt at a resume or /clear",
		})
	}
	return parts
}

// unknown returns a sentence about an earlier prompt that is not recorded and may have contained the
// text. It returns "" if the prompt never changed.
func (f former) unknown() string {
	if f.changed == 0 {
		return ""
	}
	return fmt.Sprintf("The system prompt changed before request %d; the earlier text is not recorded.", f.changed)
}
