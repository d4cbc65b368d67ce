package dsl

import (
	"errors"
	"math/big"
	"net/netip"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// networkFunctions calculate with networks: "10.0.0.0/8", "fd00::/48".
func networkFunctions() map[string]function.Function {
	prefix := function.Parameter{Name: "prefix", Type: cty.String}
	number := func(name string) function.Parameter { return function.Parameter{Name: name, Type: cty.Number} }
	return map[string]function.Function{
		"cidrhost": function.New(&function.Spec{
			Params: []function.Parameter{prefix, number("hostnum")},
			Type:   function.StaticReturnType(cty.String),
			Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
				return ofNetwork(args, func(n netip.Prefix, numbers []int64) (cty.Value, error) { return hostOf(n, numbers[0]) })
			},
		}),
		"cidrnetmask": function.New(&function.Spec{
			Params: []function.Parameter{prefix},
			Type:   function.StaticReturnType(cty.String),
			Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
				return ofNetwork(args, func(n netip.Prefix, _ []int64) (cty.Value, error) { return maskOf(n) })
			},
		}),
		"cidrsubnet": function.New(&function.Spec{
			Params: []function.Parameter{prefix, number("newbits"), number("netnum")},
			Type:   function.StaticReturnType(cty.String),
			Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
				return ofNetwork(args, func(n netip.Prefix, numbers []int64) (cty.Value, error) { return subnetOf(n, numbers[0], numbers[1]) })
			},
		}),
		"cidrsubnets": function.New(&function.Spec{
			Params:   []function.Parameter{prefix},
			VarParam: &function.Parameter{Name: "newbits", Type: cty.Number},
			Type:     function.StaticReturnType(cty.List(cty.String)),
			Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
				return ofNetwork(args, subnetsOf)
			},
		}),
	}
}

// ofNetwork reads the arguments: a network, and whole numbers.
func ofNetwork(args []cty.Value, f func(netip.Prefix, []int64) (cty.Value, error)) (cty.Value, error) {
	n, err := netip.ParsePrefix(args[0].AsString())
	if err != nil {
		return cty.NilVal, function.NewArgErrorf(0, "a network is needed: \"10.0.0.0/8\"")
	}
	numbers := make([]int64, 0, len(args)-1)
	for i, arg := range args[1:] {
		number, whole := wholeNumber(arg)
		if !whole {
			return cty.NilVal, function.NewArgErrorf(i+1, "a whole number is needed")
		}
		numbers = append(numbers, number)
	}
	return f(n.Masked(), numbers)
}

// firstOfNetwork is the network's address as a number.
func firstOfNetwork(n netip.Prefix) *big.Int { return new(big.Int).SetBytes(n.Addr().AsSlice()) }

// sizeOfNetwork is how many addresses a network of a length has.
func sizeOfNetwork(n netip.Prefix, length int) *big.Int {
	return new(big.Int).Lsh(big.NewInt(1), uint(n.Addr().BitLen()-length)) //nolint:gosec // a length is at most the address's
}

// addressOf is a number as an address of the network's kind.
func addressOf(n netip.Prefix, number *big.Int) netip.Addr {
	raw := number.FillBytes(make([]byte, n.Addr().BitLen()/8))
	addr, _ := netip.AddrFromSlice(raw)
	return addr
}

// hostOf is an address of a network; a negative number counts from its end.
func hostOf(n netip.Prefix, number int64) (cty.Value, error) {
	size, offset := sizeOfNetwork(n, n.Bits()), big.NewInt(number)
	if number < 0 {
		offset.Add(offset, size)
	}
	if offset.Sign() < 0 || offset.Cmp(size) >= 0 {
		return cty.NilVal, function.NewArgErrorf(1, "the network %s has no address %d", n, number)
	}
	return cty.StringVal(addressOf(n, offset.Add(offset, firstOfNetwork(n))).String()), nil
}

func maskOf(n netip.Prefix) (cty.Value, error) {
	if !n.Addr().Is4() {
		return cty.NilVal, function.NewArgErrorf(0, "a network of IPv4 is needed: others have no mask")
	}
	mask := new(big.Int).Sub(sizeOfNetwork(n, 0), sizeOfNetwork(n, n.Bits()))
	return cty.StringVal(addressOf(n, mask).String()), nil
}

// longer is the length of a network that is newbits longer.
func longer(n netip.Prefix, newbits int64, least int64) (int, error) {
	if newbits < least || newbits > int64(n.Addr().BitLen()-n.Bits()) {
		return 0, function.NewArgErrorf(1, "the network %s cannot be made %d bits longer", n, newbits)
	}
	return n.Bits() + int(newbits), nil
}

func subnetOf(n netip.Prefix, newbits, number int64) (cty.Value, error) {
	length, err := longer(n, newbits, 0)
	if err != nil {
		return cty.NilVal, err
	}
	offset := new(big.Int).Mul(big.NewInt(number), sizeOfNetwork(n, length))
	if number < 0 || offset.Cmp(sizeOfNetwork(n, n.Bits())) >= 0 {
		return cty.NilVal, function.NewArgErrorf(2, "there is no subnet %d of %s with %d bits more", number, n, newbits)
	}
	addr := addressOf(n, offset.Add(offset, firstOfNetwork(n)))
	return cty.StringVal(netip.PrefixFrom(addr, length).String()), nil
}

// subnetsOf gives out a network piece by piece: each subnet begins at the first
// free place where one of its length can.
func subnetsOf(n netip.Prefix, newbits []int64) (cty.Value, error) {
	if len(newbits) == 0 {
		return cty.ListValEmpty(cty.String), nil
	}
	free := firstOfNetwork(n)
	end := new(big.Int).Add(free, sizeOfNetwork(n, n.Bits()))
	subnets := make([]cty.Value, 0, len(newbits))
	for _, bits := range newbits {
		length, err := longer(n, bits, 1)
		if err != nil {
			return cty.NilVal, err
		}
		size := sizeOfNetwork(n, length)
		if over := new(big.Int).Mod(free, size); over.Sign() > 0 {
			free.Add(free, over.Sub(size, over))
		}
		begin := new(big.Int).Set(free)
		if free.Add(free, size); free.Cmp(end) > 0 {
			return cty.NilVal, errors.New("the network " + n.String() + " has no room for all of them")
		}
		subnets = append(subnets, cty.StringVal(netip.PrefixFrom(addressOf(n, begin), length).String()))
	}
	return cty.ListVal(subnets), nil
}
