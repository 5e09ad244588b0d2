package suggest_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/base/suggest"
)

func TestOf(t *testing.T) {
	t.Parallel()
	names := []string{"read_file", "read_many_files", "write_file", "replace", "compression.threshold"}
	for word, want := range map[string][]string{
		"read_fiel":  {"read_file"},
		"READ_FILE":  {"read_file"},
		"erad_file":  {"read_file"},
		"rite_file":  {"write_file", "read_file"},
		"many":       {"read_many_files"},
		"threshold":  {"compression.threshold"},
		"file":       {"read_file", "read_many_files"},
		"zzz":        {},
		"":           {},
		"re":         {},
		"rëplace":    {"replace"},
		"repalce":    {"replace"},
		"delete_all": {},
		"wf":         {"write_file"},
		"CT":         {"compression.threshold"},
		"r":          {},
	} {
		if diff := cmp.Diff(want, suggest.Similar(word, names, 2)); diff != "" {
			t.Errorf("Of(%q): %s", word, diff)
		}
	}
}

func TestQuestion(t *testing.T) {
	t.Parallel()
	if got := suggest.Question("contxt", []string{"clear", "context"}); got != "; did you mean context?" {
		t.Errorf("Question = %q", got)
	}
	if got := suggest.Question("zzz", []string{"clear"}); got != "" {
		t.Errorf("Question = %q", got)
	}
}
