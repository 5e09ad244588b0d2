package webtool

import (
	"context"
	"errors"

	"agent/internal/base/arguments"
	"agent/internal/base/rawjson"
	"agent/internal/settings"
	"agent/internal/tools"
	"agent/internal/websearch"
)

// UserWeb searches and reads the web for the user.
type UserWeb struct {
	web *Web
	env *tools.Env
}

// ForUser returns web search and pages for the user. Pages are read with env.
func (w *Web) ForUser(env *tools.Env) UserWeb { return UserWeb{w, env} }

// Search implements slash.Web. The text is not compared with keys, because the user typed it.
func (w UserWeb) Search(ctx context.Context, text string) (websearch.Answer, error) {
	if settings.WebSearch.Value(w.web.config.Settings) == websearch.Off {
		return websearch.Answer{}, errors.New("web search is off. Choose a service, for example: /set web-search brave")
	}
	query, _, err := websearch.NewQuery(text, 0, nil, "")
	if err != nil {
		return websearch.Answer{}, err
	}
	return w.web.searcher.Search(ctx, query)
}

// Page implements slash.Web.
func (w UserWeb) Page(ctx context.Context, address string) (string, error) {
	tool, err := w.web.config.Known.Get("web_fetch")
	if err != nil {
		return "", err
	}
	encoded, err := rawjson.Marshal(map[string]string{"url": address})
	if err != nil {
		return "", err
	}
	env := *w.env
	env.Limits = tools.Limits{OutputTokens: settings.ToolOutputMaxTokens.Value(w.web.config.Settings), PrivateAddresses: settings.WebFetchPrivate.Value(w.web.config.Settings)}
	plan, err := tool.Plan(ctx, &env, arguments.Parse(encoded))
	if err != nil {
		return "", err
	}
	answer := plan.Apply(ctx)
	if answer.Error != "" {
		return "", errors.New(answer.Error)
	}
	return answer.ModelText(), nil
}
