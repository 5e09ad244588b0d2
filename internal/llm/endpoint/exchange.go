package endpoint

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"mime"
	"net/http"
	"strings"
	"time"

	"agent/internal/base/rawjson"
	"agent/internal/llm"
	"agent/internal/llm/refusal"
	"agent/internal/llm/sse"
)

const (
	// maxErrorBody limits the part of an error's body that is read, in bytes.
	maxErrorBody = 64 << 10
	// errorBodyGrace limits the time for reading the body of an error.
	errorBodyGrace = 10 * time.Second
)

// Exchange is one request whose reply is being received.
type Exchange struct {
	body io.ReadCloser
	// kind is the media type in the server's header.
	kind string
	// encoding is the compression in the server's header.
	encoding string
	cancel   context.CancelFunc
	// Header is the header of the answer.
	Header http.Header
	// deadline ends the exchange if the rest of the body does not arrive in time.
	deadline *time.Timer
}

// Post sends a request to a path of the endpoint and returns the exchange once the reply begins. If the
// server does not answer with a reply, it returns an *llm.Error. header is added to the usual headers.
func (e *Endpoint) Post(parent context.Context, path, model string, body []byte, header http.Header) (*Exchange, error) {
	ctx, cancel := context.WithCancel(parent)
	request, err := e.newRequest(ctx, http.MethodPost, path, bytes.NewReader(e.withExtra(body)))
	if err != nil {
		cancel()
		return nil, err
	}
	setAll(request.Header, header)
	request.Header.Set("Accept", "text/event-stream")
	response, err := e.http.Do(request)
	if err != nil {
		cancel()
		return nil, err
	}
	x := &Exchange{cancel: cancel, body: response.Body, Header: response.Header, encoding: strings.ToLower(response.Header.Get("Content-Encoding"))}
	x.kind, _, _ = mime.ParseMediaType(response.Header.Get("Content-Type"))
	if response.StatusCode != http.StatusOK || x.kind == "text/html" {
		defer x.Close()
		return nil, e.refusalError(x, response, model)
	}
	return x, nil
}

// decodedBody returns the body without compression. Some proxies use gzip although the request did not
// offer it, and some without a header. So the first bytes decide.
func (x *Exchange) decodedBody() (*bufio.Reader, error) {
	const gzipMagic = "\x1f\x8b"
	plain := bufio.NewReader(x.body)
	begin, err := plain.Peek(len(gzipMagic))
	switch {
	case err != nil: // the next read returns the error again
		return plain, nil
	case string(begin) == gzipMagic:
		unpacked, err := gzip.NewReader(plain)
		if err != nil {
			return nil, err
		}
		return bufio.NewReader(unpacked), nil
	case x.encoding != "" && x.encoding != "identity" && x.encoding != "gzip":
		return nil, &codingError{x.encoding}
	}
	return plain, nil
}

// codingError is the error for a body whose compression is not supported.
type codingError struct{ encoding string }

func (e *codingError) Error() string {
	return "compressed its answer with " + refusal.Line(e.encoding) + ", a compression that agent did not request"
}

// refusalError returns the *llm.Error for an answer that is not a reply.
func (e *Endpoint) refusalError(x *Exchange, response *http.Response, model string) *llm.Error {
	x.SetTimeout(errorBodyGrace)
	var body []byte
	if plain, err := x.decodedBody(); err == nil {
		body, _ = io.ReadAll(io.LimitReader(plain, maxErrorBody))
	}
	p := refusal.Parse(body)
	p.Status, p.Header = response.StatusCode, response.Header
	return e.ProblemError(p, model)
}

// Events yields the events of the reply. If the server does not stream, its document is a single event.
func (x *Exchange) Events() iter.Seq2[sse.Event, error] {
	return func(yield func(sse.Event, error) bool) {
		body, err := x.decodedBody()
		if err != nil {
			yield(sse.Event{}, err)
			return
		}
		if x.kind != "application/json" || !beginsDocument(body) {
			sse.Read(&boundedReader{from: body, left: maxStream})(yield)
			return
		}
		document, err := io.ReadAll(io.LimitReader(body, sse.MaxEvent+1))
		switch {
		case err != nil:
		case len(document) > sse.MaxEvent:
			err = sse.ErrTooLarge
		case bytes.Contains(document, []byte("}\n{")) && !json.Valid(document): // one event per line
			sse.Read(bytes.NewReader(document))(yield)
			return
		case !json.Valid(document):
			err = &sse.NoEventError{First: string(document)}
		}
		yield(sse.Event{Data: document}, err)
	}
}

// boundedReader reads up to a number of bytes, and then returns errEndless.
type boundedReader struct {
	from io.Reader
	left int
}

// Read implements io.Reader.
func (r *boundedReader) Read(p []byte) (int, error) {
	if r.left <= 0 {
		return 0, errEndless
	}
	n, err := r.from.Read(p[:min(len(p), r.left)])
	r.left -= n
	return n, err
}

// beginsDocument reports whether a body begins like a JSON document. The media type is not enough,
// because some servers declare a stream as application/json.
func beginsDocument(body *bufio.Reader) bool {
	for n := 1; ; n++ {
		begin, err := body.Peek(n)
		if err != nil {
			return false
		}
		if c := begin[n-1]; !strings.ContainsRune(" \t\r\n", rune(c)) {
			return c == '{' || c == '['
		}
	}
}

// SetTimeout ends the exchange after d. A later call replaces the earlier time.
func (x *Exchange) SetTimeout(d time.Duration) {
	if x.deadline != nil {
		x.deadline.Stop()
	}
	x.deadline = time.AfterFunc(d, x.cancel)
}

// Close ends the exchange, whatever its state.
func (x *Exchange) Close() {
	if x.deadline != nil {
		x.deadline.Stop()
	}
	_ = x.body.Close()
	x.cancel()
}

// withExtra adds the user's members to a body, which is a JSON object. They replace members of the same
// name, because some servers refuse duplicate names.
func (e *Endpoint) withExtra(body []byte) []byte {
	if len(e.config.ExtraBody) == 0 {
		return body
	}
	var members map[string]json.RawMessage
	err := errors.Join(json.Unmarshal(body, &members), json.Unmarshal(e.config.ExtraBody, &members))
	whole, failed := rawjson.Marshal(members)
	if errors.Join(err, failed) != nil {
		return body // the setting takes only objects
	}
	return whole
}

// unreadable returns the error for an answer that is not a stream of events, or that cannot be
// decompressed. It returns nil for other errors.
func (e *Endpoint) unreadable(err error, model string) *llm.Error {
	var (
		stray  *sse.NoEventError
		coding *codingError
		flawed flate.CorruptInputError
	)
	switch {
	case errors.As(err, &stray):
		return e.ProblemError(refusal.Problem{NotAnAPI: true, Message: refusal.Line(stray.First)}, model)
	case errors.Is(err, sse.ErrTooLarge), errors.Is(err, errEndless):
		return e.MalformedError(model, "sent "+err.Error())
	case errors.As(err, &coding):
		return e.MalformedError(model, coding.Error())
	case errors.As(err, &flawed), errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader):
		return e.MalformedError(model, "sent a response that can't be decompressed")
	}
	return nil
}

// drainGrace is the time after the last event in which the end of the body may arrive. If the body is
// read to its end, the next request can reuse the connection.
const drainGrace = 50 * time.Millisecond

// Drain reads the end of the body, which contains no more parts of the reply.
func (x *Exchange) Drain() {
	x.SetTimeout(drainGrace)
	_, _ = io.Copy(io.Discard, io.LimitReader(x.body, maxErrorBody))
}
