package mcp

import (
	"context"
	"fmt"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Bounds of a list.
const (
	mostPages = 50
	mostItems = 2000
)

// gatherFor is how long changes of the lists are gathered; a variable for tests.
var gatherFor = time.Second

// Tools lists the tools of the server, at most 2 000. The list is asked for again after
// the server said that it has changed, or when the time is over for which it was good.
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
	c.until = until // a change that is announced meanwhile counts
	c.mu.Unlock()
	var listed []Tool
	err := c.list(ctx, "tools", func(ctx context.Context, cursor string) (int, string, error) {
		page, err := c.session.ListTools(ctx, &sdk.ListToolsParams{Cursor: cursor})
		if err != nil {
			return 0, "", err
		}
		if life := time.Duration(page.TTLMs) * time.Millisecond; life > 0 {
			until = time.Now().Add(life)
		}
		for _, t := range page.Tools {
			listed = append(listed, toolOf(t))
		}
		return len(page.Tools), page.NextCursor, nil
	})
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		c.until = time.Time{}
		return nil, err
	}
	listed = listed[:min(len(listed), mostItems)]
	c.tools = listed
	if !c.until.IsZero() {
		c.until = until
	}
	return listed, nil
}

// stale says that the list of tools is out of date.
func (c *Client) stale() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.until = time.Time{}
}

// Prompts lists the prompts of the server.
func (c *Client) Prompts(ctx context.Context) ([]Prompt, error) {
	if caps := c.session.InitializeResult().Capabilities; caps == nil || caps.Prompts == nil {
		return nil, nil
	}
	var listed []Prompt
	err := c.list(ctx, "prompts", func(ctx context.Context, cursor string) (int, string, error) {
		page, err := c.session.ListPrompts(ctx, &sdk.ListPromptsParams{Cursor: cursor})
		if err != nil {
			return 0, "", err
		}
		for _, p := range page.Prompts {
			listed = append(listed, promptOf(p))
		}
		return len(page.Prompts), page.NextCursor, nil
	})
	return listed, err
}

func promptOf(p *sdk.Prompt) Prompt {
	prompt := Prompt{Name: p.Name, Title: p.Title, Description: p.Description}
	for _, a := range p.Arguments {
		prompt.Arguments = append(prompt.Arguments, Argument{Name: a.Name, Description: a.Description, Required: a.Required})
	}
	return prompt
}

// Resources lists what the server lets read, and then the patterns of more.
func (c *Client) Resources(ctx context.Context) ([]Resource, error) {
	if caps := c.session.InitializeResult().Capabilities; caps == nil || caps.Resources == nil {
		return nil, nil
	}
	var listed []Resource
	err := c.list(ctx, "resources", func(ctx context.Context, cursor string) (int, string, error) {
		page, err := c.session.ListResources(ctx, &sdk.ListResourcesParams{Cursor: cursor})
		if err != nil {
			return 0, "", err
		}
		for _, r := range page.Resources {
			listed = append(listed, Resource{URI: r.URI, Name: r.Name, Title: r.Title, Description: r.Description, MIME: r.MIMEType, Bytes: r.Size})
		}
		return len(page.Resources), page.NextCursor, nil
	})
	if err != nil {
		return nil, err
	}
	// Servers without patterns may refuse to list them.
	_ = c.list(ctx, "resource templates", func(ctx context.Context, cursor string) (int, string, error) {
		page, err := c.session.ListResourceTemplates(ctx, &sdk.ListResourceTemplatesParams{Cursor: cursor})
		if err != nil {
			return 0, "", err
		}
		for _, r := range page.ResourceTemplates {
			listed = append(listed, Resource{URI: r.URITemplate, Name: r.Name, Title: r.Title, Description: r.Description, MIME: r.MIMEType, Template: true})
		}
		return len(page.ResourceTemplates), page.NextCursor, nil
	})
	return listed, nil
}

// list fetches the pages of a list within the bounds.
func (c *Client) list(ctx context.Context, what string, fetch func(ctx context.Context, cursor string) (items int, next string, err error)) error {
	ctx, cancel := context.WithTimeoutCause(ctx, c.server.startTimeout(), errStart)
	defer cancel()
	cursor, items := "", 0
	for range mostPages {
		n, next, err := fetch(ctx, cursor)
		if err != nil {
			return c.explainList(ctx, what, err)
		}
		items += n
		if next == "" || next == cursor || n == 0 {
			return nil
		}
		if cursor = next; items >= mostItems {
			break
		}
	}
	c.log.line(fmt.Sprintf("agent: the list of %s goes on; %d are used", what, min(items, mostItems)))
	return nil
}

func (c *Client) explainList(ctx context.Context, what string, err error) error {
	if cause := context.Cause(ctx); cause == errStart {
		return fmt.Errorf("%s gave no list of its %s within %s: %w", c.server.Name, what, c.server.startTimeout(), cause)
	}
	return err
}

func (c *Client) changed() {
	if c.host.Changed != nil {
		c.host.Changed(c.server.Name)
	}
}

// gatherer does something a while after the first of some events, once for all of them.
type gatherer struct {
	wait time.Duration
	do   func()

	mu    sync.Mutex
	timer *time.Timer
	over  bool
}

func (g *gatherer) note() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.timer != nil || g.over {
		return
	}
	g.timer = time.AfterFunc(g.wait, func() {
		g.mu.Lock()
		g.timer = nil
		over := g.over
		g.mu.Unlock()
		if !over {
			g.do()
		}
	})
}

func (g *gatherer) stop() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.over = true
	if g.timer != nil {
		g.timer.Stop()
	}
}
