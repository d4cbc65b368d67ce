package golang

import "strings"

// singulars holds the plurals that no rule of singular gets right.
var singulars = map[string]string{
	"people": "person", "children": "child", "men": "man", "women": "woman", "mice": "mouse", "feet": "foot", "teeth": "tooth",
	"indices": "index", "matrices": "matrix", "vertices": "vertex", "criteria": "criterion", "phenomena": "phenomenon",
	"analyses": "analysis", "axes": "axis", "crises": "crisis", "diagnoses": "diagnosis", "hypotheses": "hypothesis",
	"statuses": "status", "buses": "bus", "bonuses": "bonus", "viruses": "virus", "campuses": "campus", "censuses": "census",
	"aliases": "alias", "atlases": "atlas", "canvases": "canvas", "gases": "gas", "lenses": "lens", "quizzes": "quiz",
	"caches": "cache", "niches": "niche", "aches": "ache", "headaches": "headache", "avalanches": "avalanche",
	"movies": "movie", "cookies": "cookie", "ties": "tie", "pies": "pie", "lies": "lie", "dies": "die", "zombies": "zombie",
	"shelves": "shelf", "knives": "knife", "wolves": "wolf", "lives": "life", "halves": "half", "leaves": "leaf", "wives": "wife",
	"heroes": "hero", "potatoes": "potato", "tomatoes": "tomato", "echoes": "echo", "vetoes": "veto",
	"shoes": "shoe",
}

// invariable are the nouns that end like a plural and are none.
var invariable = set(`news series species means headquarters chassis corps gas lens bus alias atlas canvas bonus
	data media staff always sms dns https`)

// singular turns the last word of a table's name into the name of one row. It
// reports false for a name that is no plural: its row is called <Name>Row.
//
// The rules are few and fixed on purpose: a cleverer inflector would one day
// change its mind, and with it the names in somebody's code. A wrong guess is
// corrected with go { row = "…" }.
func singular(word string) (string, bool) {
	lower := strings.ToLower(word)
	if len(lower) != len(word) {
		word = lower // a script whose capitals have another length: offsets must agree below
	}
	if one, ok := singulars[lower]; ok {
		return one, true
	}
	if invariable[lower] {
		return "", false
	}
	for _, rule := range []struct{ ending, replacement string }{
		{"ss", ""}, {"us", ""}, {"is", ""}, // process, status, analysis: no plurals
		{"ies", "y"}, {"sses", "ss"}, {"xes", "x"}, {"ches", "ch"}, {"shes", "sh"}, {"s", ""},
	} {
		stem, ok := strings.CutSuffix(lower, rule.ending)
		if !ok {
			continue
		}
		if rule.replacement == "" && rule.ending != "s" || len(stem) < 2 {
			return "", false
		}
		return word[:len(stem)] + rule.replacement, true
	}
	return "", false
}

// rowName is the Go name of a row of a table, and the stem of the names of the
// types beside it.
func rowName(table string) (row, stem string) {
	words := splitWords(table)
	if len(words) > 0 {
		if one, ok := singular(words[len(words)-1]); ok {
			words[len(words)-1] = one
			// The underscore only keeps the words apart until they are joined again.
			stem = exported(strings.Join(words, "_"))
			return stem, stem
		}
	}
	stem = exported(table)
	return stem + "Row", stem
}
