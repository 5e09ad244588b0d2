package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Progress is the progress of a call.
type Progress struct {
	Message string
	// Done is the finished part of Total. Total is 0 if unknown.
	Done, Total float64
}

// String returns the progress as one line.
func (p Progress) String() string {
	number := strconv.FormatFloat(p.Done, 'g', 4, 64)
	if p.Total > 0 {
		number += "/" + strconv.FormatFloat(p.Total, 'g', 4, 64)
	}
	if p.Message == "" {
		return number
	}
	return p.Message + " (" + number + ")"
}

// call is a request that has not been answered yet.
type call struct {
	// life is the context of the call.
	life context.Context

	mu sync.Mutex
	// silent cancels the call if the server sends nothing for longer than bound.
	silent *time.Timer
	bound  time.Duration
	// asking counts the open questions to the user. silent is stopped while asking is not 0.
	asking   int
	progress func(Progress)
	// reached describes the latest progress.
	reached string
	over    bool
}

// alive resets the timer silent after the server has sent something. It reports the progress p
// unless p is nil.
func (k *call) alive(p *Progress) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.over {
		return
	}
	if k.asking == 0 {
		k.silent.Reset(k.bound)
	}
	if p != nil {
		k.reached = p.String()
		if k.progress != nil {
			k.progress(*p)
		}
	}
}

func (k *call) end() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.over = true
	k.silent.Stop()
}

// ask changes the number of open questions to the user. by is +1 when the server sends a question,
// and -1 when the question has ended.
func (k *call) ask(by int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.asking += by; k.asking > 0 {
		k.silent.Stop()
	} else if !k.over {
		k.silent.Reset(k.bound)
	}
}

// Call calls a tool with arguments, a JSON object. If the server refuses the call, the result has
// IsError set. An error means that there is no answer. It contains the reason, and whether the call
// may have taken effect. progress may be nil.
func (c *Client) Call(ctx context.Context, tool string, arguments json.RawMessage, progress func(Progress)) (Result, error) {
	if len(arguments) == 0 {
		arguments = json.RawMessage("{}")
	}
	var result Result
	err := c.requestWithin(ctx, progress, func(ctx context.Context, token string) error {
		return c.withURLs(ctx, func() error {
			params := &sdk.CallToolParams{Name: tool, Arguments: arguments} // rounds changes params, so each attempt has its own
			params.SetProgressToken(token)
			answer, err := c.session.CallTool(ctx, params)
			if err == nil {
				result = resultOf(answer)
			}
			return err
		})
	})
	if refused := refusal(err); refused != nil {
		return Result{IsError: true, Blocks: []Block{{Text: plain(refused)}}}, nil
	}
	return result, err
}

// Prompt returns the messages of a prompt.
func (c *Client) Prompt(ctx context.Context, name string, arguments map[string]string) (Result, error) {
	var result Result
	err := c.requestWithin(ctx, nil, func(ctx context.Context, token string) error {
		params := &sdk.GetPromptParams{Name: name, Arguments: arguments}
		params.SetProgressToken(token)
		answer, err := c.session.GetPrompt(ctx, params)
		if err != nil {
			return err
		}
		for _, m := range withoutNull(answer.Messages) {
			b := blockOf(m.Content)
			b.Role = string(m.Role)
			result.Blocks = append(result.Blocks, b)
		}
		return nil
	})
	return result, c.refusedPlainly(err)
}

// Read reads a resource.
func (c *Client) Read(ctx context.Context, uri string) (Result, error) {
	var result Result
	err := c.requestWithin(ctx, nil, func(ctx context.Context, token string) error {
		params := &sdk.ReadResourceParams{URI: uri}
		params.SetProgressToken(token)
		answer, err := c.session.ReadResource(ctx, params)
		if err != nil {
			return err
		}
		for _, contents := range withoutNull(answer.Contents) {
			result.Blocks = append(result.Blocks, contentsOf(contents))
		}
		return nil
	})
	return result, c.refusedPlainly(err)
}

// refusedPlainly explains a refusal by the server in an error for the user. It returns other errors
// unchanged.
func (c *Client) refusedPlainly(err error) error {
	if refused := refusal(err); refused != nil {
		return fmt.Errorf("%s: %s", c.server.Name, plain(refused))
	}
	return err
}

// requestWithin makes a request that may take long if the server keeps sending messages. It returns
// a refusal by the server unchanged, and explains other errors.
func (c *Client) requestWithin(ctx context.Context, progress func(Progress), do func(ctx context.Context, token string) error) error {
	silent, total := c.bounds.silent, c.bounds.total
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	k := &call{life: ctx, bound: silent, progress: progress}
	k.silent = time.AfterFunc(silent, func() { cancel(errSilent) })
	defer k.end()
	defer time.AfterFunc(total, func() { cancel(errLong) }).Stop()

	c.mu.Lock()
	c.count++
	token := strconv.Itoa(c.count)
	c.calls[token] = k
	c.questions.Store(0)
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.calls, token)
	}()
	err := do(ctx, token)
	if err == nil || context.Cause(ctx) == nil && refusal(err) != nil {
		return err
	}
	if why := causeOf(ctx); why != nil {
		err = why
	}
	k.end()
	return c.explainCall(err, silent, total, k.reached)
}

func (c *Client) progressed(_ context.Context, request *sdk.ProgressNotificationClientRequest) {
	token, _ := request.Params.ProgressToken.(string)
	c.mu.Lock()
	k := c.calls[token]
	c.mu.Unlock()
	if k != nil {
		k.alive(&Progress{Message: request.Params.Message, Done: request.Params.Progress, Total: request.Params.Total})
	}
}

func (c *Client) open() []*call {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Collect(maps.Values(c.calls))
}
