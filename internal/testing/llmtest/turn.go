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

// Turn is the answer of the server to one request: a list of steps, independent of the request
// format. Turns are values. Their methods return a longer turn and do not change the receiver:
//
//	llmtest.Say("Looking.").Call("glob", `{"pattern":"*"}`).Call("list_directory", `{"path":"."}`)
//
// By default a turn ends with a matching finish reason, the usage and [DONE].
type Turn struct {
	steps []step
	calls int
	// ids are the IDs of the calls.
	ids      []string
	finish   string
	usage    usage
	noUsage  bool
	noFinish bool
	noDone   bool
}

type step func(*reply)

// reply is the execution of a turn for one request.
type reply struct {
	server  *Server
	w       http.ResponseWriter
	wire    wire
	request *Request
	gone    <-chan struct{}
	// taken is set after a step has written the whole answer without a stream.
	taken bool
	// left is the number of bytes that may still be sent before the connection breaks.
	left   int
	cutoff bool
	// whole is set if each call is sent in one piece.
	whole bool
	// rename returns the new ID of a call. If rename is nil, IDs stay unchanged.
	rename func(id string) string
	// extra is the extra_content of the first call, "" if it has none.
	extra string
}

// Say returns a turn that answers with text. Each argument is a delta.
func Say(deltas ...string) Turn { return Turn{}.Say(deltas...) }

// Think returns a turn that begins with reasoning. Each argument is a delta.
func Think(deltas ...string) Turn { return Turn{}.Think(deltas...) }

// Call returns a turn that calls a tool.
func Call(name, arguments string) Turn { return Turn{}.Call(name, arguments) }

// Fail returns a turn that answers with a status, a body and headers. headers alternates names and
// values.
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

// HTML returns a turn that answers with a web page, as a proxy or a wrong address does.
func HTML(status int) Turn {
	page := fmt.Sprintf("<!DOCTYPE html><html><head><title>%s</title></head><body><h1>nginx</h1></body></html>", http.StatusText(status))
	return Fail(status, page, "Content-Type", "text/html; charset=utf-8")
}

// Drop returns a turn that closes the connection before any answer.
func Drop() Turn { return Turn{}.Cut() }

// Say adds text deltas.
func (t Turn) Say(deltas ...string) Turn {
	for _, d := range deltas {
		t = t.then(func(r *reply) { r.wire.text(d) })
	}
	return t
}

// Think adds reasoning deltas, in the member reasoning_content or as a summary.
func (t Turn) Think(deltas ...string) Turn {
	for _, d := range deltas {
		t = t.then(func(r *reply) { r.wire.think(d) })
	}
	return t
}

// Call adds a tool call with a new ID. Its arguments arrive in fragments.
func (t Turn) Call(name, arguments string) Turn { return t.CallID("", name, arguments) }

// CallID is like Call with a given ID. An empty ID is replaced by a new one.
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

// WithExtraContent attaches extra_content to the first call, as Gemini does.
func (t Turn) WithExtraContent(content string) Turn {
	return t.first(Turn{}.then(func(r *reply) { r.extra = content }))
}

// Whole sends every call in one piece and with index 0, as Ollama does.
func (t Turn) Whole() Turn { return t.first(Turn{}.then(func(r *reply) { r.whole = true })) }

// first returns the turn with the steps of begin inserted before its own.
func (t Turn) first(begin Turn) Turn {
	t.steps = append(begin.steps[:len(begin.steps):len(begin.steps)], t.steps...)
	return t
}

// renamed replaces the ID of every call. format formats the number of the call.
func (t Turn) renamed(format string) Turn {
	rename := func(id string) string { return fmt.Sprintf(format, crc32.ChecksumIEEE([]byte(id))) }
	t.ids = slices.Clone(t.ids)
	for i, id := range t.ids {
		t.ids[i] = rename(id)
	}
	return t.first(Turn{}.then(func(r *reply) { r.rename = rename }))
}

// firstCall returns the turn with only the first of its call IDs.
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

// Raw adds bytes to the stream unchanged.
func (t Turn) Raw(bytes string) Turn {
	return t.then(func(r *reply) { r.send(bytes) })
}

// Wait adds a pause until released is closed or the client disconnects.
func (t Turn) Wait(released <-chan struct{}) Turn {
	return t.then(func(r *reply) {
		select {
		case <-released:
		case <-r.gone:
		case <-r.server.closed:
		}
	})
}

// Reached closes reached when the server executes this step.
func (t Turn) Reached(reached chan<- struct{}) Turn {
	return t.then(func(r *reply) {
		r.send("")
		close(reached)
	})
}

// Gone waits until the client disconnects and then closes gone.
func (t Turn) Gone(gone chan<- struct{}) Turn {
	return t.Wait(nil).then(func(*reply) { close(gone) }).Cut()
}

// Hang adds a pause until the client disconnects.
func (t Turn) Hang() Turn { return t.Wait(nil).Cut() }

// Cut ends the turn by breaking the connection.
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

// NoFinish omits the finish reason, the usage and [DONE], so that the stream ends without them.
func (t Turn) NoFinish() Turn {
	t.noFinish, t.noUsage, t.noDone = true, true, true
	return t
}

// NoDone omits [DONE].
func (t Turn) NoDone() Turn {
	t.noDone = true
	return t
}

// Usage sets the reported token counts. By default they are estimated from the size of the request.
func (t Turn) Usage(prompt, completion, cached int) Turn {
	t.usage = usage{prompt, completion, cached}
	return t
}

// NoUsage omits the usage.
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

// send writes to the stream immediately, up to the byte at which the connection breaks.
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
