import type { ServerManifest } from './server-manifest.ts';

/** Versions of the base images. */
export interface BaseImages {
  /** Version of Node, such as `24.21.0`. */
  readonly node: string;
  /** Release of Debian, such as `trixie`. */
  readonly debian: string;
}

/** The images of deploy/Dockerfile. */
export const BASE_IMAGES: BaseImages = { node: '24.21.0', debian: 'trixie' };

/** The ignore file of the build context: it leaves only the tarball. */
export const DOCKERIGNORE = '*\n!*.tgz\n';

/** Returns the Dockerfile of a server. Its build context contains the tarball of the package, as `npm pack` writes it. */
export function dockerfile(
  { name, bin }: ServerManifest,
  folder: string,
  { node, debian }: BaseImages,
): string {
  const [command = ''] = Object.keys(bin);
  return `# Image of ${name}. Pack the package into this folder, then build:
#   npm pack --pack-destination .
#   docker build --tag ${command} ${folder}
# A host starts it with: docker run --interactive --rm --init ${command}
# and adds --mount type=bind,source=FOLDER,target=/data for files.
ARG NODE_VERSION=${node}
ARG DEBIAN_VERSION=${debian}

FROM node:\${NODE_VERSION}-\${DEBIAN_VERSION}-slim AS build
WORKDIR /package
COPY . .
# The dependencies have binaries for each platform in their packages, so no install script runs.
RUN npm install --global --prefix /server --ignore-scripts --no-audit --no-fund ./*.tgz

FROM debian:\${DEBIAN_VERSION}-slim
RUN groupadd --gid 10001 server \\
    && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /tmp --shell /usr/sbin/nologin server \\
    && install --directory --owner=10001 --group=10001 --mode=0700 /data
COPY --from=build /usr/local/bin/node /usr/local/bin/node
COPY --from=build /usr/local/LICENSE /usr/local/share/doc/node/LICENSE
COPY --from=build /server /opt/server
ENV PATH=/opt/server/bin:/usr/local/bin:/usr/bin:/bin \\
    HOME=/tmp
USER 10001:10001
WORKDIR /data
VOLUME /data
ENTRYPOINT ["${command}"]
`;
}
