package provider

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"agent/internal/llm/lenientjson"
	"agent/internal/llm/openai"
	"agent/internal/settings"
)

// createdLiteLLM is the creation time that the gateway LiteLLM reports for each of its models.
const createdLiteLLM = 1677610602

// askLiteLLM sets the prices that LiteLLM charges and the context windows that are not in its list. A
// model may have several deployments. The first one with a price counts.
func askLiteLLM(ctx context.Context, client *openai.Client, found []ModelOffer) {
	var list struct {
		Data []struct {
			Name string                     `json:"model_name"`
			Info map[string]json.RawMessage `json:"model_info"`
		} `json:"data"`
	}
	if client.Ask(ctx, http.MethodGet, "/model/info", "", &list) != nil {
		return
	}
	for i := range found {
		for _, m := range list.Data {
			if m.Name != found[i].ID {
				continue
			}
			window := lenientjson.Decode[lenientjson.Int](m.Info["max_input_tokens"]).NonNegative()
			found[i].ContextLimit = cmp.Or(found[i].ContextLimit, window)
			if prices := liteLLMPrices(m.Info); prices != nil {
				found[i].Prices = prices
				break
			}
		}
	}
}

// liteLLMPrices returns the prices in an entry of LiteLLM, or nil if they are unknown or implausible.
func liteLLMPrices(info map[string]json.RawMessage) *settings.Prices {
	prices := pricesOf(liteLLMTokens(info, ""))
	if prices == nil {
		return nil
	}
	prices.Outdated = prices.CacheRead == prices.Input // an entry without a price of a cache read
	const above, unit, thousand = "input_cost_per_token_above_", "k_tokens", 1000
	for name := range info {
		count, is := strings.CutPrefix(name, above)
		count, counts := strings.CutSuffix(count, unit)
		n, err := strconv.Atoi(count)
		if !is || !counts || err != nil {
			continue
		}
		tokens := liteLLMTokens(info, "_above_"+count+unit)
		if tokens.CacheRead == 0 {
			tokens.CacheRead = prices.CacheRead / prices.Input * tokens.Input
		}
		tokens.Output = cmp.Or(tokens.Output, prices.Output/million)
		if p := pricesOf(tokens); p != nil {
			prices.Steps = append(prices.Steps, settings.PriceStep{Above: n * thousand, Input: p.Input, Output: p.Output, CacheRead: p.CacheRead, CacheWrite: p.CacheWrite})
		}
	}
	slices.SortFunc(prices.Steps, func(a, b settings.PriceStep) int { return cmp.Compare(a.Above, b.Above) })
	return prices
}

// liteLLMTokens returns the prices of a single token in an entry of LiteLLM, from the members with a
// suffix.
func liteLLMTokens(info map[string]json.RawMessage, suffix string) openai.TokenPrices {
	of := func(name string) float64 {
		return float64(lenientjson.Decode[openai.Price](info[name+suffix]))
	}
	return openai.TokenPrices{
		Input: of("input_cost_per_token"), Output: of("output_cost_per_token"),
		CacheRead: of("cache_read_input_token_cost"), CacheWrite: of("cache_creation_input_token_cost"),
	}
}
