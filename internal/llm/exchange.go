package llm

import (
	"bytes"
	"context"
	"io"
	"mime"
	"net/http"
	"time"

	"github.com/sashabaranov/go-openai"
)

const (
	// maxErrorBody bounds what is read of an answer that is not a reply.
	maxErrorBody = 64 << 10
	// errorBodyGrace is how long the body of an error may take.
	errorBodyGrace = 10 * time.Second
)

// exchange is the HTTP side of one attempt. It stands between the library and the
// network: it sends our own body, answers for every status with an *Error while
// headers such as Retry-After are still there, and hands the library a clean
// stream.
type exchange struct {
	client *Client
	model  string
	body   []byte
	watch  *watchdog

	reply io.ReadCloser
}

func (x *exchange) open(ctx context.Context) (*openai.ChatCompletionStream, error) {
	config := openai.DefaultConfig(string(x.client.config.Key))
	config.BaseURL = x.client.config.BaseURL
	config.HTTPClient = x
	return openai.NewClientWithConfig(config).CreateChatCompletionStream(ctx, openai.ChatCompletionRequest{Model: x.model})
}

// Do implements openai.HTTPDoer. Its errors reach the caller of open unchanged.
func (x *exchange) Do(request *http.Request) (*http.Response, error) {
	request.ContentLength = int64(len(x.body))
	// GetBody lets net/http repeat the request on a fresh connection when the kept
	// one turns out to be closed.
	request.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(x.body)), nil }
	request.Body, _ = request.GetBody()
	response, err := x.client.http.Do(request)
	if err != nil {
		return nil, err
	}
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if response.StatusCode != http.StatusOK || kind == "text/html" {
		return nil, x.refused(response)
	}
	x.reply = response.Body
	response.Body = &eventReader{
		body:  response.Body,
		watch: x.watch,
		whole: kind == "application/json",
		refuse: func(p problem) error {
			return x.client.problemError(p, x.model)
		},
	}
	return response, nil
}

// refused turns an answer that is not a reply into an *Error.
func (x *exchange) refused(response *http.Response) error {
	x.watch.expect(errorBodyGrace)
	body, _ := io.ReadAll(io.LimitReader(response.Body, maxErrorBody))
	_ = response.Body.Close()
	p := parseProblem(body)
	p.status, p.header = response.StatusCode, response.Header
	return x.client.problemError(p, x.model)
}

// drain reads the rest of the body, so that the connection can be used again.
func (x *exchange) drain() {
	_, _ = io.Copy(io.Discard, io.LimitReader(x.reply, maxErrorBody))
}
