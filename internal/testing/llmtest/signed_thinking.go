package llmtest

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"agent/internal/llm/vendor"
)

// boundItems binds the reasoning items of the Responses API to the input before them. Some models
// bind their reasoning like this.
type boundItems struct {
	mu sync.Mutex
	// before maps encrypted reasoning to the digest of the input before it.
	before map[string]string
	// sent counts the reasoning items that clients sent back.
	sent int
}

// itemText returns the part of an input or output item that the digest covers.
func itemText(raw []byte) string {
	var item inputItem
	if json.Unmarshal(raw, &item) != nil {
		return string(raw)
	}
	if item.Encrypted != "" {
		return "reasoning\x00" + item.Encrypted
	}
	text, images := content(item.Content)
	input := ""
	if item.Input != nil {
		input = *item.Input
	}
	return fmt.Sprintf("%s\x00%s\x00%s\x00%q\x00%s\x00%s\x00%s\x00%s\x00%s", item.Type, item.Role, text, images, item.CallID, item.Name, item.Arguments, input, item.Output)
}

// inputBefore returns the texts of a request: tools, instructions and input.
func inputBefore(r *Request) []string {
	var input []json.RawMessage
	_ = json.Unmarshal(r.Fields["input"], &input) // the input was parsed before
	texts := []string{r.Model, string(r.Fields["tools"]), string(r.Fields["instructions"])}
	for _, raw := range input {
		texts = append(texts, itemText(raw))
	}
	return texts
}

func digestOfTexts(texts []string) string {
	return fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "%q", texts)))
}

// isBound reports whether the model of a request binds its reasoning over the Responses API.
func isBound(r *Request) bool {
	return r.API == Responses && vendor.BoundReasoningOf(r.Model).Prefix()
}

// sign returns encrypted reasoning that is bound to a request and the items of its reply so far.
func (b *boundItems) sign(r *Request, reasoning string, items []string) string {
	texts := inputBefore(r)
	for _, item := range items {
		texts = append(texts, itemText([]byte(item)))
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	signed := fmt.Sprintf("BOUND(%d %x)", len(b.before), reasoning)
	b.before[signed] = digestOfTexts(texts)
	return signed
}

// verify counts the reasoning items of a request. It returns an error if the input before one has
// changed.
func (b *boundItems) verify(r *Request) (err error) {
	texts := inputBefore(r)
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, text := range texts {
		encrypted, is := strings.CutPrefix(text, "reasoning\x00")
		if !is {
			continue
		}
		b.sent++
		if b.before[encrypted] != digestOfTexts(texts[:i]) {
			err = fmt.Errorf("item %d of the input is reasoning of another conversation (prefix_mismatch)", i)
		}
	}
	return err
}

// ReasoningSent returns the number of bound reasoning items that clients sent back.
func (s *Server) ReasoningSent() int {
	s.bound.mu.Lock()
	defer s.bound.mu.Unlock()
	return s.bound.sent
}
