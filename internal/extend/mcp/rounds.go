package mcp

import (
	"context"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// rounds repeats a request with the answers to the server's questions, up to the limit of
// questions. The SDK can also do this, but panics on a form that contains null.
func (c *Client) rounds(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, request sdk.Request) (sdk.Result, error) {
		for range mostQuestions + 1 {
			result, err := next(ctx, method, request)
			asks, is := result.(interface{ NeedsInput() bool })
			if err != nil || !is || !asks.NeedsInput() {
				return result, err
			}
			var asked sdk.InputRequestMap
			var state string
			switch r := result.(type) {
			case *sdk.CallToolResult:
				asked, state = r.InputRequests, r.RequestState
			case *sdk.GetPromptResult:
				asked, state = r.InputRequests, r.RequestState
			case *sdk.ReadResourceResult:
				asked, state = r.InputRequests, r.RequestState
			}
			responses, err := c.fulfil(ctx, asked)
			if err != nil {
				return nil, err
			}
			switch p := request.GetParams().(type) {
			case *sdk.CallToolParams:
				p.InputResponses, p.RequestState = responses, state
			case *sdk.GetPromptParams:
				p.InputResponses, p.RequestState = responses, state
			case *sdk.ReadResourceParams:
				p.InputResponses, p.RequestState = responses, state
			}
		}
		return nil, fmt.Errorf("the server asked more than %d questions during one call", mostQuestions)
	}
}

// fulfill answers the requests of a server. If there are no requests, the server is busy, and fulfil
// waits.
func (c *Client) fulfil(ctx context.Context, asked sdk.InputRequestMap) (sdk.InputResponseMap, error) {
	if len(asked) == 0 {
		const pause = 500 * time.Millisecond
		select {
		case <-time.After(pause):
			return nil, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	responses := sdk.InputResponseMap{}
	for id, one := range asked {
		var err error
		if question, ok := one.(*sdk.ElicitParams); ok {
			responses[id], err = c.elicit(ctx, &sdk.ElicitRequest{Params: question})
		} else {
			responses[id], err = c.fulfilOld(one)
		}
		if err != nil {
			return nil, err
		}
	}
	return responses, nil
}

// recovering answers a request of the server with an error if the SDK panics on the request.
func recovering(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, request sdk.Request) (result sdk.Result, err error) {
		defer func() {
			if recover() != nil {
				err = &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "can't read the request"}
			}
		}()
		return next(ctx, method, request)
	}
}
