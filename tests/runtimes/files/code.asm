bits 64
start:	mov eax, 1
	lea rdi, [rel start]
	add rdi, 100 * 4
	jne start
	db "text", 0
