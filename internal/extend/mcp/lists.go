package mcp

import (
	"context"
	"fmt"
	"slices"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// The limits of a list.
const (
	mostPages = 50
	mostItems = 2000
)

// gatherFor is the time for which changes of the lists are collected before one report. It is a
// variable for tests.
var gatherFor = time.Second

// Tools returns the tools of the server, at most 2,000. It requests the list again after the server
// has reported a change, and after the list has expired.
func (c *Client) Tools(ctx context.Context) ([]Tool, error) {
	c.mu.Lock()
	tools, fresh := c.tools, time.Now().Before(c.until)
	c.mu.Unlock()
	if fresh {
		return tools, nil
	}
	if caps := c.session.InitializeResult().Capabilities; caps == nil || caps.Tools == nil {
		return nil, nil
	}
	const forGood = 1000 * time.Hour
	until := time.Now().Add(forGood)
	c.mu.Lock()
	c.until = until // a later change report resets it
	c.mu.Unlock()
	listed, err := list(ctx, c, "tools", func(ctx context.Context, cursor string) ([]*sdk.Tool, string, error) {
		page, err := c.session.ListTools(ctx, &sdk.ListToolsParams{Cursor: cursor})
		if err != nil {
			return nil, "", err
		}
		if life := time.Duration(page.TTLMs) * time.Millisecond; life > 0 {
			until = time.Now().Add(life)
		}
		return page.Tools, page.NextCursor, nil
	}, toolOf)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		c.until = time.Time{}
		return nil, err
	}
	c.tools = listed
	if !c.until.IsZero() {
		c.until = until
	}
	return listed, nil
}

// stale marks the list of tools as outdated.
func (c *Client) stale() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.until = time.Time{}
}

// Prompts returns the prompts of the server.
func (c *Client) Prompts(ctx context.Context) ([]Prompt, error) {
	if caps := c.session.InitializeResult().Capabilities; caps == nil || caps.Prompts == nil {
		return nil, nil
	}
	return list(ctx, c, "prompts", func(ctx context.Context, cursor string) ([]*sdk.Prompt, string, error) {
		page, err := c.session.ListPrompts(ctx, &sdk.ListPromptsParams{Cursor: cursor})
		if err != nil {
			return nil, "", err
		}
		return page.Prompts, page.NextCursor, nil
	}, func(p *sdk.Prompt) Prompt {
		made := *p // the item belongs to the SDK, so it is copied
		made.Arguments = withoutNull(p.Arguments)
		return made
	})
}

// Resources returns the resources of the server, followed by its resource templates.
func (c *Client) Resources(ctx context.Context) ([]Resource, error) {
	if caps := c.session.InitializeResult().Capabilities; caps == nil || caps.Resources == nil {
		return nil, nil
	}
	listed, err := list(ctx, c, "resources", func(ctx context.Context, cursor string) ([]*sdk.Resource, string, error) {
		page, err := c.session.ListResources(ctx, &sdk.ListResourcesParams{Cursor: cursor})
		if err != nil {
			return nil, "", err
		}
		return page.Resources, page.NextCursor, nil
	}, func(r *sdk.Resource) Resource {
		return Resource{URI: r.URI, Name: r.Name, Title: r.Title, Description: r.Description, MIME: r.MIMEType}
	})
	if err != nil {
		return nil, err
	}
	// Servers without templates may refuse to list them.
	more, _ := list(ctx, c, "resource templates", func(ctx context.Context, cursor string) ([]*sdk.ResourceTemplate, string, error) {
		page, err := c.session.ListResourceTemplates(ctx, &sdk.ListResourceTemplatesParams{Cursor: cursor})
		if err != nil {
			return nil, "", err
		}
		return page.ResourceTemplates, page.NextCursor, nil
	}, func(r *sdk.ResourceTemplate) Resource {
		return Resource{URI: r.URITemplate, Name: r.Name, Title: r.Title, Description: r.Description, MIME: r.MIMEType, Template: true}
	})
	return append(listed, more...), nil
}

// list fetches the pages of a list, within the limits.
func list[S, T any](ctx context.Context, c *Client, what string, fetch func(ctx context.Context, cursor string) (page []*S, next string, err error), made func(*S) T) ([]T, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, c.server.startTimeout(), errStart)
	defer cancel()
	var all []T
	cursor := ""
	for range mostPages {
		page, next, err := fetch(ctx, cursor)
		if err != nil {
			if context.Cause(ctx) == errStart {
				err = fmt.Errorf("%s did not list its %s within %s: %w", c.server.Name, what, c.server.startTimeout(), errStart)
			}
			return nil, err
		}
		for _, item := range withoutNull(page[:min(len(page), mostItems-len(all))]) {
			all = append(all, made(item))
		}
		if next == "" || next == cursor || len(page) == 0 {
			return all, nil
		}
		if cursor = next; len(all) >= mostItems {
			break
		}
	}
	c.log.line(fmt.Sprintf("agent: the list of %s is too long; only the first %d are used", what, len(all)))
	return all, nil
}

func withoutNull[T any](items []*T) []*T {
	return slices.DeleteFunc(slices.Clone(items), func(item *T) bool { return item == nil })
}

// reportChanged reports that lists have changed, after a delay of gatherFor.
func (c *Client) reportChanged() {
	if c.host.Changed == nil || c.changing.Swap(true) {
		return
	}
	time.AfterFunc(gatherFor, func() {
		c.changing.Store(false)
		select {
		case <-c.done:
		default:
			c.host.Changed(c.server.Name)
		}
	})
}
