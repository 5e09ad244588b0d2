package slash

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"agent/internal/base/humanize"
	"agent/internal/command"
	"agent/internal/websearch"
)

// Web searches the web for the user. The results do not enter the context.
type Web interface {
	// Search searches with the current settings. It sends the text as the user typed it.
	Search(ctx context.Context, text string) (websearch.Answer, error)
	// Page returns the text of a page as the model would receive it.
	Page(ctx context.Context, address string) (string, error)
}

func webCommand(d Deps) command.Command {
	return command.Command{
		Name: "web", Help: "search the web, or read a page",
		Forms: []command.Form{{Args: "QUERY|ADDRESS", Rest: true, Run: func(ctx context.Context, given []string) (command.Output, error) {
			text := strings.Join(given, " ")
			switch {
			case d.Web == nil:
				return command.Output{}, errors.New("web search is not available here")
			case strings.HasPrefix(text, "https://") || strings.HasPrefix(text, "http://"):
				page, err := d.Web.Page(ctx, text)
				return command.Output{Lines: strings.Split(page, "\n")}, err
			}
			found, err := d.Web.Search(ctx, text)
			if err != nil {
				return command.Output{}, err
			}
			return foundOutput(found), nil
		}}},
	}
}

// foundOutput returns the results as a list to choose from; choosing one shows its page.
func foundOutput(found websearch.Answer) command.Output {
	head := humanize.Count(len(found.Results), "result") + " from " + found.Service + " for " + strconv.Quote(found.Query.Text)
	pick := &command.ChoiceList{Title: found.Service + ": " + found.Query.Text, Actions: []command.ChoiceAction{{
		Key: "ctrl+f", Name: "into the message",
		Instead: func(c command.Choice) command.Choice {
			return command.Choice{Draft: strings.TrimPrefix(c.Line, "/web ") + " "}
		},
	}}}
	lines := []string{head}
	for i, r := range found.Results {
		pick.Choices = append(pick.Choices, command.Choice{
			Name: r.Heading(), Line: "/web " + r.URL,
			Preview: func() string { return r.Heading() + "\n" + r.URL + "\n\n" + r.Excerpt() },
		})
		lines = append(lines, strconv.Itoa(i+1)+". "+r.Heading(), "   "+r.Excerpt())
	}
	return command.Output{Lines: lines, Pick: pick}
}
