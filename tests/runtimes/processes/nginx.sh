#!/bin/bash
# nginx python3
mkdir -p /tmp/nginx/html && cd /tmp/nginx || exit
echo 'hello from nginx' >html/index.html
cat >conf <<end
worker_processes 1; pid /tmp/nginx/pid; error_log /tmp/nginx/log; events { worker_connections 16; }
http { access_log off; client_body_temp_path t1; proxy_temp_path t2; fastcgi_temp_path t3; uwsgi_temp_path t4; scgi_temp_path t5;
 server { listen 127.0.0.1:8088; root /tmp/nginx/html; } }
end
/usr/sbin/nginx -p /tmp/nginx -c /tmp/nginx/conf -e /tmp/nginx/log
python3 -I -B -c '
import urllib.request
for path in "/", "/", "/index.html": print(urllib.request.urlopen("http://127.0.0.1:8088" + path).read())'
/usr/sbin/nginx -p /tmp/nginx -c /tmp/nginx/conf -e /tmp/nginx/log -s stop
sleep 1
ls pid 2>/dev/null
echo stopped
