package mcp

import (
	"context"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// rounds makes a request again with what the server wants to know first, as often as it
// may ask. The SDK's own rounds end the program at a form with a null in it.
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
		return nil, fmt.Errorf("it asked more than %d times", mostQuestions)
	}
}

// fulfil answers what a server asks for. Nothing means that it is busy.
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

// recovering refuses a request of the server that the SDK cannot read without a panic.
func recovering(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, request sdk.Request) (result sdk.Result, err error) {
		defer func() {
			if recover() != nil {
				err = &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "it cannot be read"}
			}
		}()
		return next(ctx, method, request)
	}
}
