import java.util.List;
import java.util.stream.*;

public class Primes {
	public static void main(String[] args) throws Exception {
		List<Integer> primes = IntStream.range(2, 60).filter(n -> IntStream.range(2, n).noneMatch(d -> n % d == 0))
			.boxed().collect(Collectors.toList());
		System.out.println(primes);
		Thread t = new Thread(() -> System.err.println("from a thread"));
		t.start();
		t.join();
		System.exit(5);
	}
}
