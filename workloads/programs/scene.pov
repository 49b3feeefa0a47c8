// Reflecting and refracting solids over a checkered plane (eon renders such scenes by ray tracing).
#version 3.7;
global_settings { assumed_gamma 1.0 max_trace_level 6 }
camera { location <0, 3, -8> look_at <0, 1, 0> angle 45 }
light_source { <6, 9, -6> color rgb <1, 0.95, 0.9> }
light_source { <-7, 5, -3> color rgb <0.3, 0.3, 0.45> }
background { color rgb <0.15, 0.2, 0.35> }
plane { y, 0 pigment { checker color rgb 0.9 color rgb <0.2, 0.25, 0.5> } finish { reflection 0.15 } }

#declare Glass = texture { pigment { color rgbt <0.9, 1, 0.95, 0.8> } finish { specular 0.9 roughness 0.002 reflection 0.1 } }
#declare Metal = texture { pigment { color rgb <0.8, 0.7, 0.4> } finish { metallic reflection 0.5 phong 0.7 } }
#declare Stone = texture { pigment { granite color_map { [0 color rgb 0.3] [1 color rgb <0.8, 0.7, 0.6>] } scale 0.4 } normal { bumps 0.4 scale 0.1 } }

#declare I = 0;
#while (I < 24)
	#declare A = I * 2.39996;
	sphere {
		<sqrt(I) * 0.75 * cos(A), 0.35 + mod(I, 4) * 0.35, sqrt(I) * 0.75 * sin(A)>, 0.34
		#switch (mod(I, 3))
			#case (0) texture { Metal } #break
			#case (1) texture { Glass } interior { ior 1.5 } #break
			#else texture { Stone }
		#end
	}
	#declare I = I + 1;
#end
difference {
	box { <-3.2, 0, 1.5>, <-1.6, 2.4, 3> texture { Stone } }
	cylinder { <-2.4, 1.2, 1>, <-2.4, 1.2, 4>, 0.6 texture { Metal } }
}
torus { 1.1, 0.3 rotate x * 60 translate <2.6, 1.4, 2> texture { Metal } }
blob { threshold 0.5 sphere { <2, 0.6, -2>, 0.9, 1 } sphere { <2.6, 0.9, -1.7>, 0.8, 1 } texture { Stone } }
