package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// withURLs makes a request. The server may refuse it until the user has visited some addresses.
// withURLs then prompts the user, and repeats the request when the server reports the visits or
// after some time.
func (c *Client) withURLs(ctx context.Context, send func() error) error {
	err := send()
	questions := addresses(err)
	if len(questions) == 0 {
		return err
	}
	been := make(chan struct{}, len(questions))
	for _, q := range questions {
		c.waits.Store(q.ElicitationID, been)
		defer c.waits.Delete(q.ElicitationID)
	}
	for _, q := range questions {
		answer, failed := c.elicit(ctx, &sdk.ElicitRequest{Params: q})
		if failed != nil || answer.Action != string(Accept) {
			return err
		}
	}
	for _, k := range c.open() {
		k.ask(+1)
		defer k.ask(-1)
	}
	patience := time.NewTimer(c.bounds.silent)
	defer patience.Stop()
	for range questions {
		select {
		case <-been:
		case <-patience.C:
			return send()
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return send()
}

// addresses returns the addresses that the user must visit before the server accepts the request,
// or nil for other errors.
func addresses(err error) []*sdk.ElicitParams {
	var refused *jsonrpc.Error
	if !errors.As(err, &refused) || refused.Code != sdk.CodeURLElicitationRequired {
		return nil
	}
	var data struct {
		Elicitations []*sdk.ElicitParams `json:"elicitations"`
	}
	if json.Unmarshal(refused.Data, &data) != nil || len(data.Elicitations) > mostQuestions {
		return nil
	}
	for _, q := range data.Elicitations {
		if q == nil || q.URL == "" {
			return nil
		}
	}
	return data.Elicitations
}

// handleVisited handles the server's notification that the user has visited an address.
func (c *Client) handleVisited(_ context.Context, request *sdk.ElicitationCompleteNotificationRequest) {
	if been, there := c.waits.Load(request.Params.ElicitationID); there {
		select {
		case been.(chan struct{}) <- struct{}{}:
		default:
		}
	}
}
