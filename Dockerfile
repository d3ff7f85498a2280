# The app with PostgreSQL's driver, on torch for CPUs. Small, not root, and nothing in it is written at run time:
#   docker build -t rlm-ldp .
#   docker run --read-only --tmpfs /tmp -p 127.0.0.1:8501:8501 -v rlm-data:/data rlm-ldp
# Names under which visitors open it: -e RLM_ALLOWED_HOSTS=ldp.example. Public, without raw data: -e RLM_PUBLIC_DEMO=1.

FROM python:3.11.13-slim-bookworm AS build
ARG TORCH_INDEX=https://download.pytorch.org/whl/cpu
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
RUN python -m venv /opt/rlm
WORKDIR /source
COPY constraints.txt requirements.txt ./
# torch goes first and alone: the CPU build is a fraction of the one with CUDA.
RUN /opt/rlm/bin/pip install --index-url "${TORCH_INDEX}" --extra-index-url https://pypi.org/simple \
        -c constraints.txt torch torchvision \
    && /opt/rlm/bin/pip install -c constraints.txt -r requirements.txt
COPY . .
RUN /opt/rlm/bin/pip install --no-deps .

FROM python:3.11.13-slim-bookworm
RUN useradd --uid 10001 --no-create-home --shell /usr/sbin/nologin rlm \
    && install -d -o rlm -g rlm /data
COPY --from=build /opt/rlm /opt/rlm
ENV PATH=/opt/rlm/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    OMP_NUM_THREADS=1 \
    HOME=/tmp \
    XDG_DATA_HOME=/data \
    XDG_CACHE_HOME=/tmp/cache
USER 10001
VOLUME /data
EXPOSE 8501
HEALTHCHECK --interval=30s --timeout=5s --start-period=90s --retries=3 \
    CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8501/_stcore/health', timeout=4)"]
# Inside a container 0.0.0.0 is the container alone; which of its ports are seen outside is docker's -p.
CMD ["rlm", "run", "--host", "0.0.0.0", "--port", "8501"]
