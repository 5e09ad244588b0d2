package history

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Data that a provider attached to a block survives the round trip byte for byte. It counts only if
// the block is sent to the same provider again.
func TestAttached(t *testing.T) {
	t.Parallel()
	const entry = `{"speaker":"ai","blocks":[` +
		`{"type":"thinking","thought":"let me see","attached":{"model":"m","host":"h:1","wanted":true,"field":"reasoning","data":[{"b":1,"a":"<&>"}]}},` +
		`{"type":"tool_call","id":"a","name":"f","parameters":{},"attached":{"model":"m","host":"h:1","field":"extra_content","data":{"s":"x"}}}]}`
	var c Content
	if err := json.Unmarshal([]byte(entry), &c); err != nil {
		t.Fatal(err)
	}
	thinking := c.Blocks[0].(*Thinking)
	if !thinking.Attached.IsFrom("m", "h:1") || thinking.Attached.IsFrom("m", "h") || (*Attachment)(nil).IsFrom("", "") {
		t.Errorf("%+v", thinking.Attached)
	}
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(&c); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(entry, strings.TrimSpace(out.String())); diff != "" {
		t.Error(diff)
	}
	if got := countBlock(wordCount{}, thinking); got != 4 {
		t.Errorf("wanted reasoning counts %d, want its three words and its data", got)
	}
	kept := *thinking.Attached
	kept.Wanted = false
	if got := countBlock(wordCount{}, &Thinking{Thought: "let me see", Attached: &kept}); got != 0 {
		t.Errorf("reasoning that stays at home counts %d", got)
	}
}

type wordCount struct{}

func (wordCount) Count(text string) int { return len(strings.Fields(text)) }
