import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/** What the java runs do: threads allocate, meet in monitors and locks, and cause collections; prints a checksum. */
public class Work {
	private static final Object monitor = new Object();
	private static final ReentrantLock lock = new ReentrantLock();
	private static final ArrayDeque<byte[]> kept = new ArrayDeque<>();
	private static final AtomicLong checksum = new AtomicLong();
	private static long inMonitor, inLock;

	private static void work(int index, int rounds) {
		long sum = 0;

		for (int i = 0; i < rounds; i++) {
			byte[] block = new byte[256 + (i % 64) * 32];
			block[i % block.length] = (byte) (index + i);
			sum = sum * 31 + block[i % block.length];
			synchronized (monitor) {
				inMonitor++;
				kept.addLast(block);
				if (kept.size() > 5000)
					kept.removeFirst();
			}
			lock.lock();
			try {
				inLock++;
			} finally {
				lock.unlock();
			}
		}
		checksum.addAndGet(sum);
	}

	public static void main(String[] arguments) throws InterruptedException {
		int rounds = Integer.parseInt(arguments[1]);
		Thread[] threads = new Thread[Integer.parseInt(arguments[0])];

		for (int i = 0; i < threads.length; i++) {
			int index = i;
			threads[i] = new Thread(() -> work(index, rounds));
			threads[i].start();
		}
		for (Thread thread : threads)
			thread.join();
		System.gc();
		System.out.println(inMonitor + " " + inLock + " " + checksum.get());
	}
}
