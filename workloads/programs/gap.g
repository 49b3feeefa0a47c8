# Group theory with small integers, permutations and lists under a garbage collector (gap).
m12 := Group((1,2,3,4,5,6,7,8,9,10,11), (3,7,11,8)(4,10,5,6), (1,12)(2,11)(3,6)(4,8)(5,9)(7,10));;
Print("order ", Size(m12), "\n");
Print("classes ", Length(ConjugacyClasses(m12)), "\n");
Print("sylow ", List([2, 3, 5, 11], p -> Size(SylowSubgroup(m12, p))), "\n");
s := SymmetricGroup(9);;
Print("centralizer ", Size(Centralizer(s, (1,2,3)(4,5,6))), "\n");
sum := 0;;
for i in [1 .. 2500] do
	x := (i * 7919) mod 10007;
	sum := sum + Length(FactorsInt(x * 10007 + i)) + Phi(i);
od;
Print("sum ", sum, "\n");
words := List([1 .. 800], i -> PermList(List([0 .. 96], j -> (j * (1 + i mod 96) + i) mod 97 + 1)));;
Print("orders ", Sum(words, Order), "\n");
Print("product ", 1 ^ Product(words), " ", Length(Set(words)), "\n");
mat := List([1 .. 30], i -> List([1 .. 30], j -> (i * j + i + j) mod 17 + 1 / (i + j)));;
Print("rank ", RankMat(mat), "\n");
QUIT_GAP(0);
