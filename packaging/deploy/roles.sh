#!/bin/sh
# Run once by the image of PostgreSQL, when it has made an empty data folder and the database: two roles and pgvector.
# `wellread_owner` owns the tables and is used by the migration alone; `wellread` gets the rights of role.sql and no others.
# The passwords come from files and are on no command line.
set -eu

psql --no-psqlrc --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" <<'SQL'
\set owner_password `cat "$WELLREAD_OWNER_PASSWORD_FILE"`
\set role_password `cat "$WELLREAD_ROLE_PASSWORD_FILE"`
\set database `printf %s "$POSTGRES_DB"`
SELECT length(:'owner_password') < 16 OR length(:'role_password') < 16 AS too_short \gset
\if :too_short
    \warn a password of Wellread is missing, or has less than 16 characters
    SELECT 1 / 0;
\endif
CREATE ROLE wellread_owner LOGIN PASSWORD :'owner_password';
CREATE ROLE wellread LOGIN PASSWORD :'role_password';
ALTER DATABASE :"database" OWNER TO wellread_owner;
REVOKE CONNECT, TEMPORARY ON DATABASE :"database" FROM PUBLIC;
GRANT CONNECT ON DATABASE :"database" TO wellread;
CREATE EXTENSION vector WITH SCHEMA public;
SQL
