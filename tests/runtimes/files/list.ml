let () = List.iter (fun x -> print_endline (string_of_int (x * x))) [3; 1; 2];;
