import asyncio, sys
async def worker(name, queue, results):
    while (n := await queue.get()) is not None:
        await asyncio.sleep(0.001 * n)
        results.append(n * n)
        queue.task_done()
async def main():
    queue, results = asyncio.Queue(), []
    workers = [asyncio.create_task(worker(i, queue, results)) for i in range(3)]
    for n in range(8):
        queue.put_nowait(n)
    await queue.join()
    for _ in workers:
        queue.put_nowait(None)
    await asyncio.gather(*workers)
    print(sorted(results))
    try:
        await asyncio.wait_for(asyncio.sleep(10), 0.01)
    except asyncio.TimeoutError:
        print("late", file=sys.stderr)
asyncio.run(main())
