// Package provider answers to whom the program talks: which endpoint, with which
// key, about which model, and how large that model's window is. Settings name these
// things, environment and keyring hold keys, servers on this machine are found, and
// endpoints say what they offer.
//
// A Connection follows the settings: code that changes the base URL or the profile
// has the next request go elsewhere. How requests are made is package llm's
// business.
package provider
