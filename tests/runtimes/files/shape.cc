struct shape {
	virtual double area() const = 0;
	virtual ~shape() {}
};
template <int N> struct square : shape {
	double area() const override { return N * N; }
};
double all()
{
	square<3> a;
	square<4> b;
	const shape *shapes[] = {&a, &b};
	double s = 0;
	for (const shape *x : shapes)
		s += x->area();
	return s;
}
