factor(2^67-1)
zeta(2.)
polroots(x^3-2)
