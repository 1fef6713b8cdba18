"""Which trees of Kubernetes sources were at hand, in the repositories that vendor them.

A tree is vendored at a release when go.mod, vendor/modules.txt or a label of that commit says so; where two of these
repositories have the same release, their files are the same. SIG Release publishes no other source that was at hand.
"""

from collections.abc import Mapping

from model.rules import Seen, read

# Repository -> `RELEASE=REF`, separated by blanks.
Trees = Mapping[str, str]

# Scheduler and kubelet.
BOTH: Trees = {
    "kubernetes/autoscaler": (
        "1.13.0-beta.2=9e7395c0a946 1.14.0-beta.1=530016e629e6 1.15.11=da0e76d41646 1.17.10=9501a3d7aa4a "
        "1.24.0-alpha.4=4e184a981bf8 1.24.0-beta.0=69755bb90913 1.24.0=6328195795d1 1.24.10=75d6c8f1c31e "
        "1.24.12=27d03a550d60 1.24.14=774460773d82 1.24.16=ba33f962be9c 1.25.0-alpha.0=c77a4aca08be "
        "1.25.0-alpha.2=29f2a6a4ce53 1.25.6=f3b4ebaf564f 1.25.8=6c4c6b8b95d2 1.25.10=8ea2f60822a4 "
        "1.25.12=b0e8e960c4a4 1.26.0-alpha.0=dfc90513b02b 1.26.0-rc.1=cbded74769be 1.26.1=5e378d744763 "
        "1.26.3=b7c72363073c 1.26.5=80e346a8ae0d 1.26.7=c6b1403efdf1 1.26.11=ac1d162118b1 1.26.13=a8201ee56955 "
        "1.26.15=166d00af579f 1.27.0-alpha.1=229b0e9e5cf5 1.27.1=abc16667772c 1.27.2=bb0e2f9d2fc8 "
        "1.27.4=bb6a774803fa 1.27.8=2e167fa50c23 1.27.10=3a548dd16852 1.27.12=b43b4b5e04fd 1.27.14=f9d3bf1ed170 "
        "1.27.16=5378c3fd7d48 1.28.0-alpha.2=203654c543a4 1.28.0-beta.0=9c364f976186 1.28.4=a91025aa1f40 "
        "1.28.6=baa5116b8290 1.28.8=b66f2dc98dcb 1.28.10=9f7b8453f99f 1.28.11=b91663ab2835 1.28.14=cac1e768dfa4 "
        "1.29.0-alpha.1=3aff54889e54 1.29.0-alpha.3=4944ed9609fb 1.29.0=095ae9fcbb99 1.29.1=da4e1097d05b "
        "1.29.3=23b5eb8cda22 1.29.5=064cd694d6bc 1.29.6=34e510f38e30 1.29.9=fecc69b3f92a "
        "1.30.0-alpha.3=16588648bae7 1.30.0=c4f7524043f0 1.30.1=00a09b7c6e11 1.30.2=b7a28b2ff357 "
        "1.30.5=06b9450faef7 1.30.11=bc3b0a180c27 1.30.14=a8e71488fe85 1.31.0-alpha.2=2244a049128c "
        "1.31.13=6ea9989e35cd"
    ),
    "linmut/kubernetes-x": "1.14.10=27776eb4426f",
    "rancher/k3s": (
        "1.15.3=b1cd19d42dd3 1.15.4=22ebe13ec526 1.16.0=6f7a1a70fa59 1.16.2=01707ce4515c 1.16.3=82702a2a6455 "
        "1.16.6=2381a01b7745 1.16.7=16c99b871b7a 1.16.8=15fab34a49fe 1.16.9=eb4ad1b3f49d 1.16.10=5e9f690000fc "
        "1.16.11=358ac59cb48d 1.16.13=b720367fc5d5 1.16.14=49b26dee81c5 1.16.15=31fddb21b508 1.17.0=0f644650f5d8 "
        "1.17.2=cdab19b09a84 1.17.3=5b17a175ce33 1.17.4=3eee8ac3a1cf 1.17.5=58ebdb2a2ec5 1.17.6=bd7fb4b0727e "
        "1.17.7=b0260b330327 1.17.9=000a361f14bc 1.17.11=3a2fa61b5625 1.17.12=9c5c1fbce67b 1.17.13=73d1903cb4ef "
        "1.17.14=9496f4f1c78c 1.17.15=f5af9be51aea 1.17.17=e8c9484078bc 1.18.0=53ed13bf29c4 1.18.2=698e444a03fe "
        "1.18.3=96653e8d86b7 1.18.4=97b7a0e9df28 1.18.6=6f56fa1d68a5 1.18.8=6b5953186668 1.18.9=630bebf94b9d "
        "1.18.10=6fa9730656bf 1.18.12=56cd36302dc3 1.18.13=b682c9c63ba5 1.18.15=60f1e80dcb07 1.18.16=8c7dd1395faf "
        "1.18.17=0a8aa154bb18 1.18.18=67eb203a4144 1.18.19=a260c3c61e1e 1.18.20=57b73dc9ffb0 1.19.0=c5dc09159f7f "
        "1.19.1=b66760fccddd 1.19.2=d38505b124c9 1.19.3=974ad30be7b7 1.19.4=2532c10faad4 1.19.5=b11612e2744f "
        "1.19.7=5a00e38db4c1 1.19.8=95fc76b206b1 1.19.9=bead080d5e56 1.19.10=72e8196c9b9e 1.19.11=39552458bc2a "
        "1.19.12=559d0c472949 1.19.13=8a81349b2f62 1.20.0-alpha.1=8e366ee76863 1.20.0=8936cf577f24 "
        "1.20.1=2d1a60a9dd45 1.20.2=1d4adb0301b9 1.20.3=74a65d7aea5f 1.20.4=838a906ab5eb 1.20.5=355fff3017b0 "
        "1.20.6=8d0432824a9f 1.20.7=aa768cbdabdb 1.20.8=5d0a12a6168b 1.20.9=12be663c5319 1.21.0=2705431d9645 "
        "1.21.1=75dba57f9b1d 1.21.2=5a67e8dc473f 1.21.3=9c981b018415 1.22.0-beta.1=bcde52a494f0"
    ),
    "dereknola/k3s": "1.19.14=fe31ed3d69fb 1.20.10=f2a8e1215851 1.22.5=ab215f4a32db",
    "dweomer/k3s": (
        "1.21.4=8e90c56f5c14 1.22.1=a9fce84ab62f 1.22.2=06b863906847 1.22.3=a52fc49bdf5e 1.22.4=6f4217a3405d"
    ),
    "noob512/godel-with-k8s": "1.22.17=f104d4edc1e8",
    "openshift/microshift": "1.23.1=f60507979005",
    "cvetkovic/kubernetes_v1.23.13": "1.23.13=e822cdbb0f43",
    "openshift/kubernetes-autoscaler": (
        "1.25.0=e827295f51a8 1.26.0=970874eabd42 1.27.0=d030dbaade38 1.28.0=89149896bc6a 1.31.0=34730793bf40"
    ),
    "kubeedge/kubeedge": "1.27.15=5e77de0e60a6 1.29.11=6f8c079575fa 1.30.7=215f91649bfe",
}

# The scheduler.
SCHEDULER_ONLY: Trees = {
    "kubernetes-sigs/cluster-capacity": (
        "1.20.15=cf35c2d6c0e5 1.21.9=469f6dc518d2 1.22.6=26523a4d0e92 1.23.5=2bbd6f05412c 1.24.4=8ce28ad5ded1 "
        "1.25.2=5fd7ac9f37eb 1.26.4=648c7f4ef284 1.28.3=f39ad5155c73 1.31.1=d70315d79b0d"
    ),
    "openshift-kni/scheduler-plugins": (
        "1.23.3=f8f4e66d2af0 1.23.9=c452dc8ca8c2 1.24.3=47d369c55de9 1.24.9=ba069f0bc8ae 1.24.17=51c3289b0d9a "
        "1.25.5=72d7f2da2216 1.25.7=22c1e697d3d6 1.25.14=2496172b7cf7 1.25.15=19a0f709821a 1.25.16=e8fbd37ffb64 "
        "1.26.2=679a09e8044d 1.26.9=ccfa6a6c446b 1.26.10=698d7a56b0f1 1.27.6=03d59af2d570 1.27.7=e77b38d86bb0 "
        "1.29.4=8d9a4cd0ee48 1.29.7=369b4ff4d624 1.29.14=5b643bbe0582 1.30.4=37b7888ae048 1.30.6=da60eee33f66 "
        "1.30.10=4d9811464bcd 1.31.2=79db65ae2624 1.31.8=4ad7bd0176fe"
    ),
    "kubernetes-sigs/scheduler-plugins": (
        "1.23.10=6469722f8bfc 1.27.9=5611c68db50e 1.29.8=fd4a18439bc7 1.30.12=da83318d7e63"
    ),
    "openshift/microshift": ("1.31.10=d7e653e78425 1.31.11=7e0ba5a3a087 1.31.12=a5cda2f10bf3 1.31.14=8eb6c2962b3a"),
}

# The kubelet, and of the scheduler the plugins; in rancher/k3s of 1.13 and 1.14 the rest of the scheduler is patched.
KUBELET_ONLY: Trees = {
    "rancher/k3s": (
        "1.13.1=d0b5e818bf37 1.13.2=0deece1d6d47 1.13.3=596b7950be56 1.13.4=88e88b84f43e 1.13.5=2911d0b51566 "
        "1.14.0=28bcd419c8f9 1.14.1=dd14729e3bee 1.14.3=4af7a9ffbca2 1.14.4=4a7a30f99cc8 1.14.5=111cfca4afd4 "
        "1.14.6=e0fce55ba8f0"
    ),
    "kubernetes/autoscaler": (
        "1.19.0-rc.1=671a2fdfe6e5 1.20.0-beta.2=305f1ac68e7b 1.21.0-beta.1=ffa7ceb2e806 "
        "1.22.0-alpha.1=c3c8436206a4 1.22.0-alpha.3=8183053afd49 1.22.0=0fbfe18e5d50 1.23.0=dd94dd7b834d "
        "1.24.0-alpha.2=c22e6f1a54b7"
    ),
    "kubeedge/kubeedge": "1.23.15=a2ac5d60e9a4 1.23.17=21452aa74c71",
}


def read_below(path: str, *trees: Trees) -> tuple[Seen, ...]:
    """What was read below `path`, a file or a folder, in `trees`."""
    return tuple(seen for each in trees for repository, refs in each.items() for seen in read(path, repository, refs))
