package mcp

//lint:file-ignore SA1019 most servers still use deprecated parts of the protocol

import (
	"context"
	"net/url"
	"path/filepath"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// withOld returns an SDK client that supports deprecated parts of the protocol: roots and log
// messages. It does not support sampling, which would cost money and let a server write prompts.
func (c *Client) withOld(options *sdk.ClientOptions) *sdk.Client {
	options.Capabilities.RootsV2 = &sdk.RootCapabilities{}
	options.LoggingMessageHandler = c.logged
	client := sdk.NewClient(&sdk.Implementation{Name: "agent", Version: c.host.Version}, options)
	client.AddRoots(c.roots()...)
	return client
}

// roots returns the folders that the server may see.
func (c *Client) roots() []*sdk.Root {
	roots := []*sdk.Root{}
	for _, folder := range c.host.Roots {
		address := url.URL{Scheme: "file", Path: folder}
		roots = append(roots, &sdk.Root{URI: address.String(), Name: filepath.Base(folder)})
	}
	return roots
}

// fulfilOld answers requests of a server that are not questions to the user.
func (c *Client) fulfilOld(one sdk.InputRequest) (sdk.InputResponse, error) {
	if _, ok := one.(*sdk.ListRootsParams); ok {
		return &sdk.ListRootsResult{Roots: c.roots()}, nil
	}
	return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "the server requests a reply from a model (sampling), which agent does not support"}
}

// logged handles a log message of the server. The message resets the silence timer of all calls.
func (c *Client) logged(_ context.Context, request *sdk.LoggingMessageRequest) {
	text, isText := request.Params.Data.(string)
	if !isText {
		text = string(rawOf(request.Params.Data))
	}
	c.log.line(string(request.Params.Level) + ": " + text)
	for _, k := range c.open() {
		k.alive(nil)
	}
}
