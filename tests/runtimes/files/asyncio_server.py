import asyncio


async def serve(reader, writer):
    writer.write((await reader.readline()).upper())
    await writer.drain()
    writer.close()


async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"hello\n")
    print(await reader.readline())
    writer.close()
    server.close()
    await asyncio.sleep(0.01)
    print("done")


asyncio.run(main())
