package compression

import (
	"fmt"
	"strings"
	"testing"

	"agent/internal/history"
	"agent/internal/toolspec"
)

// skills returns activations of skills with the given sizes in characters, followed by a task.
func skills(sizes ...int) []*history.Content {
	entries := conv(H("go"))
	for i, size := range sizes {
		pair := ran("skill", fmt.Sprint(i), strings.Repeat("how to\n", size/7))
		pair[1] = pair[1].WithMeta(history.MetaKey, fmt.Sprintf("skill:/%d", i))
		entries = append(entries, pair...)
	}
	entries = append(entries, ran("read_file", "f", strings.Repeat("line\n", 4000))...)
	return append(entries, conv(A("done"), H("next"))...)
}

// A compression keeps the texts of skills, the latest first: 5 000 tokens of each, 15 000 in total,
// and at most a quarter of the context window. Other skills are named (setup.md 2).
func TestCompressionKeepsSkills(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		limit int
		sizes []int
		want  []int // the approximate number of kept bytes of each
	}{
		{"all that is short", 60_000, []int{700, 1400}, []int{700, 1400}},
		{"the beginning of a long one", 60_000, []int{9000}, []int{5000}},
		{"the latest first", 100_000, []int{4900, 4900, 4900, 4900}, []int{300, 4900, 4900, 4900}},
		{"a quarter of a small window", 8000, []int{1400, 1400}, []int{600, 1400}},
	} {
		c := contextOf(t, tc.limit, skills(tc.sizes...))
		c.PreserveThreshold = 0
		result := compressWith(t, highDensity{}, c)
		var got []int
		for _, entry := range result.NewHistory {
			if response, ok := entry.Blocks[0].(*history.ToolResponse); ok && entry.Key() != "" {
				text := response.Result.Text()
				if isSummary(text, response) {
					text = ""
				}
				got = append(got, len(text))
			}
		}
		if len(got) != len(tc.want) {
			t.Errorf("%s: %v, want %v", tc.name, got, tc.want)
			continue
		}
		for i := range got {
			if got[i] > tc.want[i] || got[i] < tc.want[i]*7/10 {
				t.Errorf("%s: %v, want %v", tc.name, got, tc.want)
			}
		}
	}
}

// Recency pruning never removes a skill. It removes answers of a server like any result.
func TestSkillsAreNeverTooOld(t *testing.T) {
	t.Parallel()
	facts := TraitsLookup(func(string) toolspec.Traits { return toolspec.Traits{Reads: true} })
	for key, want := range map[string]int{"skill:/x": 0, "mcp:s/t({})": 4} {
		entries := conv(H("go"))
		for i := range 5 {
			pair := ran("tool", fmt.Sprint(i), strings.Repeat("text\n", 100))
			pair[1] = pair[1].WithMeta(history.MetaKey, key+fmt.Sprint(i))
			entries = append(entries, pair...)
		}
		result, err := highDensity{}.Optimize(entries, DensityConfig{
			Switches: map[string]bool{"recencyPruning": true}, Numbers: map[string]float64{"recencyRetention": 1}, Facts: facts,
		})
		if err != nil || len(result.Prunes) != want {
			t.Errorf("%s: %d go, want %d, %v", key, len(result.Prunes), want, err)
		}
	}
}

// Instructions of skills are removed after all other calls and results, and before messages (D-27).
func TestSkillsAreRemovedLate(t *testing.T) {
	t.Parallel()
	skill := ran("skill", "s", long("how to"))
	skill[1] = skill[1].WithMeta(history.MetaKey, "skill:/s")
	entries := conv(H("first"), skill, ran("grep", "x", strings.Repeat("hit ", 100)), A("ok"), H("between"), A("done"), H("last"))
	tokens := contextOf(t, 10_000, entries).Total()
	for _, tc := range []struct {
		target int
		want   string // the speakers of the remaining entries
	}{
		{tokens - 200, "HATHAHAH"}, {0, "HHAH"},
	} {
		c := contextOf(t, 10_000, entries)
		tr := newTruncation(c, entries, c.Tokens, groupEntries(entries))
		tr.dropHead(7, tc.target)
		left, _ := tr.result()
		got := ""
		for _, entry := range left {
			got += strings.ToUpper(string(entry.Speaker))[:1]
		}
		if got != tc.want {
			t.Errorf("%d: %s, want %s: %s", tc.target, got, tc.want, showAll(left))
		}
	}
}
