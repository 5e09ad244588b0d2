package session

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A manipulated id in a record does not lead to another folder. It is used for the undo store and
// for the logs of subagents.
func TestIDsLeadNowhereElse(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"../../evil", "/tmp/evil", "..", ".", "a/b", "", "x\x1b[2J", "x\u202e", "x\ny"} {
		l := create(t, options(t))
		add(t, l, "first")
		closeLog(t, l)
		content, err := os.ReadFile(l.Path())
		if err != nil {
			t.Fatal(err)
		}
		quoted, err := json.Marshal(id)
		if err != nil {
			t.Fatal(err)
		}
		changed := bytes.ReplaceAll(content, []byte(`"id":"`+l.ID()+`"`), append([]byte(`"id":`), quoted...))
		if err := os.WriteFile(l.Path(), changed, 0o600); err != nil || bytes.Equal(changed, content) {
			t.Fatal(err)
		}
		again, state, err := Resume(l.Path(), options(t))
		if err != nil {
			t.Fatalf("%q: %v", id, err)
		}
		if want := strings.TrimSuffix(filepath.Base(l.Path()), extension); again.ID() != want || state.ID != want || len(state.Entries) != 1 {
			t.Errorf("%q: the session is %q, its state %q with %d entries", id, again.ID(), state.ID, len(state.Entries))
		}
		closeLog(t, again)
		if path := AgentPath("/s/x.jsonl", id); filepath.Dir(path) != filepath.FromSlash("/s/x") {
			t.Errorf("%q: the log of an agent is %s", id, path)
		}
	}
}
