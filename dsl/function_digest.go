package dsl

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"slices"

	"github.com/google/uuid"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// digestFunctions are the functions that read a file of any bytes and give a text
// for them.
func (p *project) digestFunctions() map[string]function.Function {
	of := func(digest func(src []byte) string) function.Function {
		return ofPath(cty.String, func(name string) (cty.Value, error) {
			src, err := p.readSmall(name)
			if err != nil {
				return cty.NilVal, err
			}
			if len(src) > maxValue { // of a file outside, whose size nobody has asked
				return cty.NilVal, tooLargeFile(name)
			}
			return cty.StringVal(digest(src)), nil
		})
	}
	encode := base64.StdEncoding.EncodeToString
	return map[string]function.Function{
		"filebase64":       of(encode),
		"filebase64sha256": of(func(src []byte) string { sum := sha256.Sum256(src); return encode(sum[:]) }),
		"filebase64sha512": of(func(src []byte) string { sum := sha512.Sum512(src); return encode(sum[:]) }),
		"filemd5":          of(func(src []byte) string { sum := md5.Sum(src); return hex.EncodeToString(sum[:]) }),
		"filesha1":         of(func(src []byte) string { sum := sha1.Sum(src); return hex.EncodeToString(sum[:]) }),
		"filesha256":       of(func(src []byte) string { sum := sha256.Sum256(src); return hex.EncodeToString(sum[:]) }),
		"filesha512":       of(func(src []byte) string { sum := sha512.Sum512(src); return hex.EncodeToString(sum[:]) }),
	}
}

// digesting are the names of those functions.
var digesting = func() []string {
	var names []string
	for name := range new(project).digestFunctions() {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}()

// nameSpaces are the name spaces of RFC 9562 by Terraform's words.
var nameSpaces = map[string]uuid.UUID{"dns": uuid.NameSpaceDNS, "url": uuid.NameSpaceURL, "oid": uuid.NameSpaceOID, "x500": uuid.NameSpaceX500}

// uuidFunction is uuidv5(namespace, name): the same UUID for the same name.
func uuidFunction() function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "namespace", Type: cty.String}, {Name: "name", Type: cty.String}},
		Type:   function.StaticReturnType(cty.String),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			space, known := nameSpaces[args[0].AsString()]
			if !known {
				var err error
				if space, err = uuid.Parse(args[0].AsString()); err != nil {
					return cty.NilVal, function.NewArgErrorf(0, "a name space is \"dns\", \"url\", \"oid\", \"x500\" or a UUID")
				}
			}
			return cty.StringVal(uuid.NewSHA1(space, []byte(args[1].AsString())).String()), nil
		},
	})
}
