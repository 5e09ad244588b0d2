// Package demo is the built-in demo model: an OpenAI-compatible server on a loopback port, with a script
// in place of a model. The server runs in this process. The package also contains the small project
// that the script works on. The program uses the server through the same client as any endpoint, so
// that everything except the model is real.
//
// The script tells the user that it is not a model. It computes its next step only from the messages of
// each request: the calls that succeeded, the output of the tests, the text of the file. So it also
// continues correctly when a user interrupts, refuses an edit or changes a file, and after pruning. It
// can do one job, the repair of a shell script. It also answers a few simple requests with the real
// tools: read FILE, run CMD, help.
package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/sashabaranov/go-openai"

	"agent/internal/llm"
)

const (
	// Model is the name of the demo model.
	Model = "demo"
	// Window is the context window of the demo model in tokens. A long demo fills it.
	Window = 32768
)

// maxRequest limits the body of a request, in bytes.
const maxRequest = 64 << 20

// Options controls the speed of the server.
type Options struct {
	// Pause waits between the parts of a reply, or until ctx ends, and then returns ctx's error. If
	// nil, the server waits in real time.
	Pause func(ctx context.Context, d time.Duration) error
}

// Server is a running demo model.
type Server struct {
	// BaseURL is the address of the endpoint, such as http://127.0.0.1:41234/v1.
	BaseURL string
	options Options
	cache   prefixCache
	stop    context.CancelFunc
	running sync.WaitGroup
}

// patience is the time that Close waits for a connection to end by itself.
const patience = time.Second

// Start listens on a free loopback port and serves until Close is called or ctx ends.
func Start(ctx context.Context, options Options) (*Server, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("can't start the demo model on a loopback port: %w", err)
	}
	if options.Pause == nil {
		options.Pause = llm.Sleep
	}
	serving, stop := context.WithCancel(ctx)
	s := &Server{
		BaseURL: fmt.Sprintf("http://%s/v1", listener.Addr()),
		options: options,
		stop:    stop,
	}
	server := &http.Server{
		Handler:           s.handler(),
		ReadHeaderTimeout: 10 * time.Second,
		BaseContext:       func(net.Listener) context.Context { return serving },
	}
	s.running.Go(func() { _ = server.Serve(listener) })
	s.running.Go(func() {
		<-serving.Done()
		limited, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if server.Shutdown(limited) != nil {
			_ = server.Close()
		}
	})
	return s, nil
}

// Close stops the server and the replies that are being streamed.
func (s *Server) Close() {
	s.stop()
	s.running.Wait()
}

func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", s.models)
	mux.HandleFunc("POST /v1/chat/completions", s.complete)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		refuse(w, http.StatusNotFound, "not_found", "the demo model does not support "+r.Method+" "+r.URL.Path)
	})
	return mux
}

func (s *Server) models(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{
		"object": "list",
		"data":   []any{map[string]any{"id": Model, "object": "model", "owned_by": "agent", "max_model_len": Window}},
	})
}

func (s *Server) complete(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	if err != nil {
		refuse(w, http.StatusRequestEntityTooLarge, "too_large", "can't read the request: "+err.Error())
		return
	}
	asked, err := decode(body)
	if err != nil {
		refuse(w, http.StatusBadRequest, "invalid_request_error", err.Error())
		return
	}
	if asked.Model != Model {
		refuse(w, http.StatusNotFound, "model_not_found", fmt.Sprintf("unknown model %[2]q; the demo has only %[1]q", Model, asked.Model))
		return
	}
	answer := next(asked)
	calls := newConversation(asked.Messages).calls(answer)
	completion := answer.text
	for _, call := range calls {
		completion += call.Function.Name + call.Function.Arguments
	}
	cost := s.cache.account(asked, completion)
	if !asked.StreamOptions.IncludeUsage {
		cost = nil
	}
	now := time.Now()
	frame := openai.ChatCompletionStreamResponse{
		ID: fmt.Sprintf("demo-%d", now.UnixNano()), Object: "chat.completion.chunk", Created: now.Unix(), Model: Model,
	}
	out := &stream{ctx: r.Context(), w: w, pause: s.options.Pause, frame: frame}
	out.reply(answer.text, calls, cost)
}

// decode parses a request. It refuses a request that the demo cannot answer.
func decode(body []byte) (request, error) {
	var r request
	if err := json.Unmarshal(body, &r); err != nil {
		return request{}, fmt.Errorf("not a chat completions request: %w", err)
	}
	if len(r.Messages) == 0 {
		return request{}, errors.New("messages must not be empty")
	}
	if !r.Stream {
		return request{}, errors.New("the demo model only streams; set \"stream\": true")
	}
	return r, nil
}

// refuse sends an error in the form of the OpenAI API.
func refuse(w http.ResponseWriter, status int, code, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": message, "type": "invalid_request_error", "code": code}})
}
