# docker build -t finale .
# docker run --rm --user "$(id -u):$(id -g)" --volume "$PWD:/project" finale check specs/
FROM python:3.13-slim AS build
COPY . /checkout
RUN /checkout/packaging/install.sh /opt/finale pytest-xdist

FROM python:3.13-slim
# `finale check --changed-since` asks git.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends git \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /opt/finale /opt/finale
# Whoever runs the image makes a cache of their own below this folder, whatever the number of the
# user. Finale uses no cache that others can write to.
RUN mkdir --mode 1777 /cache
ENV PATH="/opt/finale/bin:${PATH}" FINALE_CACHE=/cache/finale
WORKDIR /project
# A repository that is mounted belongs to somebody else, and git would not read it.
RUN git config --system --add safe.directory /project
ENTRYPOINT ["finale"]
