package openai

import (
	"fmt"
	"hash/fnv"
	"strings"

	"agent/internal/history"
)

// callIDs pairs calls and responses of a history by position (D-11): a response
// answers the first call of the latest entry that the history knows under its id
// and that waits for an answer.
type callIDs struct {
	form idForm
	// model is whom the request is for: its own ids go back as they came.
	model string
	// waiting are the ids on the wire of the calls of the latest entry, by the ids in
	// the history.
	waiting map[string][]string
	// taken are the ids on the wire. Some servers refuse an id used twice.
	taken map[string]bool
}

func newCallIDs(host, model string) *callIDs {
	return &callIDs{form: idFormOf(host, model), model: model, waiting: map[string][]string{}, taken: map[string]bool{}}
}

// begin begins an entry with calls.
func (c *callIDs) begin() { clear(c.waiting) }

// add returns the id on the wire of a new call of an entry: its own, in the form that
// the vendor takes, unless it is empty or was used before.
func (c *callIDs) add(entry *history.Content, id string) string {
	form := c.form
	if by, ok := entry.Metadata[history.MetaModel].(string); ok && by == c.model {
		form = anyID
	}
	wire := form.fit(id, 1)
	for n := 2; c.taken[wire]; n++ {
		wire = form.fit(id, n)
	}
	c.taken[wire] = true
	c.waiting[id] = append(c.waiting[id], wire)
	return wire
}

// of returns the id on the wire of the call that a response answers.
func (c *callIDs) of(id string) string {
	waiting := c.waiting[id]
	if len(waiting) == 0 {
		return id
	}
	c.waiting[id] = waiting[1:]
	return waiting[0]
}

// idForm is what the ids of calls may look like: vendors refuse the whole conversation
// for one that another vendor has made.
type idForm int

const (
	// anyID: whatever it is.
	anyID idForm = iota
	// plainID: letters, digits, _ and -, forty at most, as OpenAI and Anthropic want it.
	plainID
	// nineID: nine letters and digits, as Mistral wants it.
	nineID
)

const (
	longestPlainID = 40
	nine           = 9
)

// idFormOf is the form for a model at a host. Kimi wants its own ids, which are not
// plain, also for calls of others.
func idFormOf(host, model string) idForm {
	name := BaseName(model)
	for _, family := range []string{"mistral", "ministral", "magistral", "devstral", "codestral", "pixtral"} {
		if strings.HasPrefix(name, family) {
			return nineID
		}
	}
	switch {
	case isHost(host, "mistral.ai"):
		return nineID
	case strings.HasPrefix(name, "kimi"), isHost(host, "moonshot.ai"), isHost(host, "moonshot.cn"):
		return anyID
	default:
		return plainID
	}
}

// fit is an id in this form; n tells apart calls that have the same one, from 1.
func (f idForm) fit(id string, n int) string {
	if id == "" {
		id = "call"
	}
	if n == 1 && f.takes(id) {
		return id
	}
	switch f {
	case nineID:
		return hashed(id, n)
	case plainID:
		plain := strings.Map(func(r rune) rune {
			if isWordByte(r) {
				return r
			}
			return '_'
		}, id)
		if plain == id && len(id) < longestPlainID-len("_999") {
			return fmt.Sprintf("%s_%d", id, n)
		}
		return plain[:min(len(plain), longestPlainID-nine-1)] + "_" + hashed(id, n)
	default:
		return fmt.Sprintf("%s_%d", id, n)
	}
}

func (f idForm) takes(id string) bool {
	foreign := func(r rune) bool { return !isWordByte(r) }
	switch f {
	case nineID:
		return len(id) == nine && !strings.ContainsFunc(id, foreign) && !strings.ContainsAny(id, "_-")
	case plainID:
		return len(id) <= longestPlainID && !strings.ContainsFunc(id, foreign)
	default:
		return true
	}
}

func isWordByte(r rune) bool {
	return r == '_' || r == '-' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}

// hashed stands for an id in nine letters and digits, the same for the same.
func hashed(id string, n int) string {
	const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	hash := fnv.New64a()
	_, _ = fmt.Fprintf(hash, "%s %d", id, n)
	sum := hash.Sum64()
	var text [nine]byte
	for i := range text {
		text[i] = digits[sum%uint64(len(digits))]
		sum /= uint64(len(digits))
	}
	return string(text[:])
}
