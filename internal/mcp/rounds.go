package mcp

import (
	"context"
	"fmt"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// rounds makes a request again with what the server wants to know first, as often as it
// may ask.
func rounds[R interface{ NeedsInput() bool }](ctx context.Context, c *Client, send func(context.Context, sdk.InputResponseMap, string) (R, error)) (R, error) {
	var none R
	var responses sdk.InputResponseMap
	state := ""
	for range mostRounds + 1 {
		answer, err := send(ctx, responses, state)
		if err != nil || !answer.NeedsInput() {
			return answer, err
		}
		var asked sdk.InputRequestMap
		asked, state = input(answer)
		if responses, err = c.fulfil(ctx, asked); err != nil {
			return none, err
		}
	}
	return none, fmt.Errorf("it asked more than %d times", mostRounds)
}

// input is what a result asks for.
func input(answer any) (asked sdk.InputRequestMap, state string) {
	switch a := answer.(type) {
	case *sdk.CallToolResult:
		return a.InputRequests, a.RequestState
	case *sdk.GetPromptResult:
		return a.InputRequests, a.RequestState
	case *sdk.ReadResourceResult:
		return a.InputRequests, a.RequestState
	}
	return nil, ""
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
