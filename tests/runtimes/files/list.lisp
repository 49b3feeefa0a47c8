(defun fib (n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))
(format t "~a ~a~%" (mapcar #'fib '(1 2 10 15)) (expt 2 100))
(handler-case (/ 1 0) (division-by-zero () (format t "caught~%")))
