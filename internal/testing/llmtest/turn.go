package llmtest

import (
	"cmp"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"slices"
	"strings"
)

// Turn is what the server does with one request: a list of steps, in whichever
// format it was asked. Turns are
// values; the methods return a longer turn and leave the receiver alone:
//
//	llmtest.Say("Looking.").Call("glob", `{"pattern":"*"}`).Call("list_directory", `{"path":"."}`)
//
// A turn ends with a finish reason that fits, usage and [DONE], unless it is set
// otherwise.
type Turn struct {
	steps []step
	calls int
	// ids are those given to calls.
	ids      []string
	finish   string
	usage    usage
	noUsage  bool
	noFinish bool
	noDone   bool
}

type step func(*reply)

// reply is a turn being played to one request.
type reply struct {
	server  *Server
	w       http.ResponseWriter
	wire    wire
	request *Request
	gone    <-chan struct{}
	// taken is set when a step answered by itself, without a stream.
	taken bool
	// left is how many more bytes may be sent before the connection is cut.
	left   int
	cutoff bool
	// whole is set when calls come in one piece.
	whole bool
	// rename makes the ids of calls; nil leaves them.
	rename func(id string) string
	// extra is the extra_content of the first call, "" if it has none.
	extra string
}

// Say is a turn that answers with text, one delta an argument.
func Say(deltas ...string) Turn { return Turn{}.Say(deltas...) }

// Think is a turn that begins with reasoning, one delta an argument.
func Think(deltas ...string) Turn { return Turn{}.Think(deltas...) }

// Call is a turn that calls a tool.
func Call(name, arguments string) Turn { return Turn{}.Call(name, arguments) }

// Fail is a turn that answers with a status, a body and headers given as
// alternating names and values.
func Fail(status int, body string, headers ...string) Turn {
	return Turn{}.then(func(r *reply) {
		r.taken = true
		r.w.Header().Set("Content-Type", "application/json")
		for i := 0; i+1 < len(headers); i += 2 {
			r.w.Header().Set(headers[i], headers[i+1])
		}
		r.w.WriteHeader(status)
		_, _ = io.WriteString(r.w, body)
	})
}

// HTML is a turn that answers with a web page, as a proxy or a wrong address does.
func HTML(status int) Turn {
	page := fmt.Sprintf("<!DOCTYPE html><html><head><title>%s</title></head><body><h1>nginx</h1></body></html>", http.StatusText(status))
	return Fail(status, page, "Content-Type", "text/html; charset=utf-8")
}

// Drop is a turn that closes the connection before any answer.
func Drop() Turn { return Turn{}.Cut() }

// Say adds text deltas.
func (t Turn) Say(deltas ...string) Turn {
	for _, d := range deltas {
		t = t.then(func(r *reply) { r.wire.text(d) })
	}
	return t
}

// Think adds reasoning deltas: under the key reasoning_content, or as a summary.
func (t Turn) Think(deltas ...string) Turn {
	for _, d := range deltas {
		t = t.then(func(r *reply) { r.wire.think(d) })
	}
	return t
}

// Call adds a tool call with a fresh id; its arguments arrive in fragments.
func (t Turn) Call(name, arguments string) Turn { return t.CallID("", name, arguments) }

// CallID is Call with a given id; an empty one is replaced by a fresh one.
func (t Turn) CallID(id, name, arguments string) Turn {
	index := t.calls
	t.calls++
	if id != "" {
		t.ids = append(t.ids[:len(t.ids):len(t.ids)], id)
	}
	return t.then(func(r *reply) {
		id := id
		if id == "" {
			id = r.server.callID()
		}
		if r.rename != nil {
			id = r.rename(id)
		}
		r.wire.call(index, id, name, arguments)
	})
}

// Extra attaches extra_content to the first call, as Gemini does.
func (t Turn) Extra(content string) Turn {
	return t.first(Turn{}.then(func(r *reply) { r.extra = content }))
}

// Whole sends every call in one piece and with index 0, as Ollama does.
func (t Turn) Whole() Turn { return t.first(Turn{}.then(func(r *reply) { r.whole = true })) }

// first puts the steps of another turn in front.
func (t Turn) first(begin Turn) Turn {
	t.steps = append(begin.steps[:len(begin.steps):len(begin.steps)], t.steps...)
	return t
}

// renamed gives every call another id, in a format for a number.
func (t Turn) renamed(format string) Turn {
	rename := func(id string) string { return fmt.Sprintf(format, crc32.ChecksumIEEE([]byte(id))) }
	t.ids = slices.Clone(t.ids)
	for i, id := range t.ids {
		t.ids[i] = rename(id)
	}
	return t.first(Turn{}.then(func(r *reply) { r.rename = rename }))
}

// firstCall is the turn with the id of its first call only.
func (t Turn) firstCall() Turn {
	t.ids = t.ids[:min(len(t.ids), 1)]
	return t
}

// Details adds a piece of reasoning_details, as OpenRouter sends them.
func (t Turn) Details(details string) Turn {
	return t.Event(fmt.Sprintf(`{"choices":[{"index":0,"delta":{"reasoning_details":%s},"finish_reason":null}]}`, details))
}

// Event adds one stream event with the given data.
func (t Turn) Event(data string) Turn { return t.Raw("data: " + data + "\n\n") }

// Comments adds n keep-alive comments.
func (t Turn) Comments(n int) Turn { return t.Raw(strings.Repeat(": keep-alive\n\n", n)) }

// Raw adds bytes to the stream as they are.
func (t Turn) Raw(bytes string) Turn {
	return t.then(func(r *reply) { r.send(bytes) })
}

// Wait adds a pause until released is closed or the client is gone.
func (t Turn) Wait(released <-chan struct{}) Turn {
	return t.then(func(r *reply) {
		select {
		case <-released:
		case <-r.gone:
		case <-r.server.closed:
		}
	})
}

// Reached closes reached when the turn comes to this point.
func (t Turn) Reached(reached chan<- struct{}) Turn {
	return t.then(func(r *reply) {
		r.send("")
		close(reached)
	})
}

// Gone waits until the client has gone and then closes gone.
func (t Turn) Gone(gone chan<- struct{}) Turn {
	return t.Wait(nil).then(func(*reply) { close(gone) }).Cut()
}

// Hang adds silence until the client gives up.
func (t Turn) Hang() Turn { return t.Wait(nil).Cut() }

// Cut ends the turn by breaking the connection here.
func (t Turn) Cut() Turn {
	return t.then(func(*reply) { panic(http.ErrAbortHandler) })
}

// CutAt breaks the connection after n bytes of the stream.
func (t Turn) CutAt(n int) Turn {
	return t.first(Turn{}.then(func(r *reply) { r.left, r.cutoff = n, true }))
}

// Finish sets the finish reason.
func (t Turn) Finish(reason string) Turn {
	t.finish = reason
	return t
}

// NoFinish leaves the finish reason, the usage and [DONE] out: the stream just
// ends.
func (t Turn) NoFinish() Turn {
	t.noFinish, t.noUsage, t.noDone = true, true, true
	return t
}

// NoDone leaves [DONE] out.
func (t Turn) NoDone() Turn {
	t.noDone = true
	return t
}

// Usage sets the tokens reported; without it they are estimated from the size of
// the request.
func (t Turn) Usage(prompt, completion, cached int) Turn {
	t.usage = usage{prompt, completion, cached}
	return t
}

// NoUsage leaves the usage out.
func (t Turn) NoUsage() Turn {
	t.noUsage = true
	return t
}

func (t Turn) then(s step) Turn {
	t.steps = append(t.steps[:len(t.steps):len(t.steps)], s)
	return t
}

func (t Turn) play(r *reply) {
	for _, s := range t.steps {
		s(r)
	}
	if r.taken {
		return
	}
	const bytesPerToken = 4
	t.usage = cmp.Or(t.usage, usage{len(r.request.Body) / bytesPerToken, len(t.steps), 0})
	switch {
	case t.noFinish:
		t.finish = ""
	case t.calls > 0:
		t.finish = cmp.Or(t.finish, "tool_calls")
	default:
		t.finish = cmp.Or(t.finish, "stop")
	}
	r.wire.end(t)
	r.send("")
}

func (r *reply) event(data string) { r.send("data: " + data + "\n\n") }

// send writes to the stream at once, up to the byte where it is to break.
func (r *reply) send(text string) {
	r.w.Header().Set("Content-Type", "text/event-stream")
	cut := r.cutoff && len(text) > r.left
	if cut {
		text = text[:r.left]
	}
	r.left -= len(text)
	_, _ = io.WriteString(r.w, text)
	if flusher, ok := r.w.(http.Flusher); ok {
		flusher.Flush()
	}
	if cut {
		panic(http.ErrAbortHandler)
	}
}
